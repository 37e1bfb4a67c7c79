"""``walproof check --smoke`` runs every step and reports each fault at the right one."""

from __future__ import annotations

import shlex
import sys

import pytest

from conformance import ROOT
from conformance.adapter_smoke import AdapterSmoke
from tests.conformance.conftest import LOOP
from tests.family import children

pytestmark = pytest.mark.slow

HELLO, VALID, READS = "says hello in time", "its hello is valid", "reads leveldb-log/one-record"
AGAIN, UNCHANGED = "gives the same answer again", "leaves the log unchanged"
LONG_LINE, NOWHERE = "accepts a line of more than a mebibyte", "survives a path without a file"
BYE, END, QUIET = "exits on bye", "exits at the end of its input", "prints nothing but replies"
ONE_SHOT = "one-shot: read leveldb-log PATH"
STEPS = [
    "starts", HELLO, VALID, READS, AGAIN, UNCHANGED, LONG_LINE, NOWHERE, BYE, END, QUIET, ONE_SHOT,
]  # fmt: skip

RIGHT = """
HELLO["reports"] = ["records", "signals"]
def reply(request):
    if not os.path.exists(request["path"]):
        return {"seq": request["seq"], "skipped": "no such file"}
    return {"seq": request["seq"], "answer": answer(request["path"])}
def answer(path):
    data = open(path, "rb").read()
    return {"records": [{"payload": data[7:].hex()}], "signals": []}
"""
BUFFERED = "replies = []" + LOOP.replace("send(", "replies.append(")


@pytest.fixture
def smoke(vectors):
    """Return a function that runs the smoke test on a command and returns its findings by step."""

    def run(command, one_shot=False, seconds=10):
        arguments = shlex.split(command) if isinstance(command, str) else command
        steps = AdapterSmoke(arguments, vectors, ["leveldb-log"], seconds)
        steps.run(one_shot)
        assert children() == []
        return {finding.step: finding for finding in steps.findings}

    return run


def wrong_steps(findings):
    return {step: f.fault for step, f in findings.items() if f.status == "wrong"}


def test_every_step_passes(smoke, program):
    loop = "if sys.argv[1:2] == ['read']: sys.exit(print(json.dumps(answer(sys.argv[3]))))\n"
    findings = smoke(program(RIGHT, loop + LOOP))
    assert list(findings) == STEPS
    assert {finding.status for finding in findings.values()} == {"right"}


def test_the_one_shot_form_is_optional(smoke, program):
    findings = smoke(program(RIGHT))
    assert wrong_steps(findings) == {}
    assert findings[ONE_SHOT].status == "untested"
    assert "no answer, exit status 0" in findings[ONE_SHOT].note


def test_a_format_without_vectors_is_not_tried(program):
    steps = AdapterSmoke(program(RIGHT), {}, ["leveldb-log"])
    steps.run()
    notes = {finding.step: finding.note for finding in steps.findings}
    assert notes["reads a log"] == "none of its formats is tested"


def test_a_one_shot_program(smoke, program):
    loop = "print(json.dumps(answer(sys.argv[3])))"
    assert list(smoke(program(RIGHT, loop), one_shot=True)) == [ONE_SHOT]
    for loop, fault in (("print('1 log read')", "adapter"), ("os.abort()", "implementation")):
        assert wrong_steps(smoke(program(loop=loop), one_shot=True)) == {ONE_SHOT: fault}


@pytest.mark.parametrize(
    ("loop", "step", "expected", "actual"),
    [
        ("sys.exit('no config')", HELLO, "a line of JSON", "exit status 1"),
        (BUFFERED, HELLO, "flushed", "within 1 s"),
        ("print('Hi!')", HELLO, "a line of JSON", "b'Hi!\\n'"),
        ("print('{}')", VALID, "hello-reply", '"name" is a required'),
        ("HELLO['formats'] = ['no-log']" + LOOP, VALID, "", "no-log ("),
        ("HELLO['reports'] = ['records', 'mood']" + LOOP, VALID, "", "reports: mood (there is at,"),
    ],
    ids=["exits", "buffered", "text", "empty", "formats", "reports"],
)
def test_a_wrong_hello_is_a_fault_of_the_adapter(smoke, program, loop, step, expected, actual):
    findings = smoke(program(loop=loop), seconds=1 if loop == BUFFERED else 10)
    assert wrong_steps(findings) == {step: "adapter"}
    assert expected in findings[step].expected and actual in findings[step].actual
    assert findings[step].stderr == ("no config" if "config" in loop else None)


def test_a_missing_program_is_reported(smoke):
    findings = smoke("./no-such-program")
    assert wrong_steps(findings) == {"starts": "adapter"}
    assert "No such file or directory" in findings["starts"].actual


@pytest.mark.parametrize(
    ("name", "faults"),
    [
        ("answers_twice", {AGAIN: "adapter"}),
        ("forgets_bye", {BYE: "adapter", END: "adapter"}),
        ("removes_the_log", {UNCHANGED: "implementation"}),
    ],
)
def test_faults_of_wrong_implementations_are_attributed(smoke, wrong, name, faults, monkeypatch):
    monkeypatch.setattr("conformance.adapter_smoke.BYE_SECONDS", 1.0)
    findings = wrong_steps(smoke(wrong(name), seconds=1.5 if name == "forgets_bye" else 10))
    assert faults.items() <= findings.items()


def test_raw_line_and_number_are_shown(smoke, wrong):
    finding = smoke(wrong("answers_another_request"))[READS]
    assert (finding.expected, finding.actual) == ("seq 1", "2")
    assert finding.line.startswith('{"seq": 2, "answer"')


PANIC = "sys.exit('panic: short buffer\\n\\ngoroutine 1 [running]:\\nmain.read(...)')"
UPPER = "return {'seq': request['seq'], 'answer': {'records': [{'payload': 'FF'}]}}"


@pytest.mark.parametrize(
    ("change", "step", "fault", "actual"),
    [
        ("if request['seq'] == 2: time.sleep(60)", AGAIN, "adapter", "2 s"),
        ("open(request['path'], 'ab').write(b'.')", UNCHANGED, "implementation", "14 bytes, chan"),
        ("assert len(str(request)) < 65536", LONG_LINE, "adapter", "exit status 1"),
        ("assert os.path.exists(request['path'])", NOWHERE, "adapter", "exit status 1"),
        (PANIC, READS, "adapter", "exit status 1, panic: short buffer"),
        ("os.abort()", READS, "implementation", "killed by SIGABRT"),
        (UPPER, READS, "adapter", "read-reply: answer/records/0"),
    ],
    ids=["slow", "writes", "short lines", "no path", "panics", "aborts", "upper case"],
)
def test_one_fault_is_summarised(smoke, program, change, step, fault, actual):
    lines = RIGHT.replace("def reply(request):", f"def reply(request):\n    {change}", 1)
    findings = smoke(program(lines))
    finding = findings[step]
    assert (finding.status, finding.fault) == ("wrong", fault)
    assert actual in finding.actual
    if step == READS:
        # If a log cannot be read, these later steps are not run.
        assert {findings[name].status for name in (LONG_LINE, NOWHERE)} == {"untested"}


@pytest.mark.parametrize(
    ("loop", "step", "actual"),
    [
        (LOOP + "sys.exit(4)", BYE, "exit status 4"),
        (LOOP + "print('Goodbye!')", QUIET, "also: Goodbye!"),
        (LOOP.replace("break", "os.kill(os.getpid(), 9)"), BYE, "killed by SIGKILL"),
    ],
)
def test_a_wrong_end_is_a_fault_of_the_adapter(smoke, program, loop, step, actual):
    finding = smoke(program(RIGHT, loop))[step]
    assert (finding.status, finding.fault, finding.actual) == ("wrong", "adapter", actual)


class TestCommandLine:
    def test_a_skeleton_exits_0(self, walproof):
        skeleton = ROOT / "conformance" / "skeletons" / "python" / "adapter.py"
        outcome = walproof("check", "--smoke", "--cmd", shlex.join([sys.executable, str(skeleton)]))
        assert outcome.status == 0
        assert [step for step in STEPS if step not in outcome.out] == []
        assert "adapter speaks the protocol; read() is not written yet" in outcome.out

    def test_the_printed_command_shows_the_messages(self, walproof, program, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        lines = RIGHT.replace("data[7:]", "data[8:]")
        outcome = walproof("check", "--smoke", "--cmd", shlex.join(program(lines)))
        assert outcome.status == 3
        wrong_payload = 'expected "alpha" (5 bytes), found "lpha" (4 bytes)'
        assert wrong_payload in outcome.out
        assert "The adapter speaks the protocol; 1 fault of the implementation." in outcome.out
        outcome = walproof(*shlex.split(outcome.out.strip().splitlines()[-1])[1:])
        assert outcome.status == 3 and wrong_payload in outcome.out

    def test_a_missing_hello_suggests_the_one_shot_form(self, walproof, wrong):
        command = ("check", "--smoke", "--cmd", wrong("one_shot_hides_damage"))
        outcome = walproof(*command)
        assert outcome.status == 3
        for text in ("the adapter's", "Found 1 fault of the adapter.", "use --one-shot"):
            assert text in outcome.out
        outcome = walproof(*command, "--one-shot", "--format", "leveldb-log")
        assert outcome.status == 0 and "The one-shot form works" in outcome.out

    @pytest.mark.parametrize("arguments", [[], ["--cmd", ""], ["--cmd", "x", "--format", "no-log"]])
    def test_a_usage_error_exits_1(self, walproof, arguments):
        assert walproof("check", "--smoke", *arguments).status == 1
