"""``walproof check --smoke``: every step, and the attribution of faults."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

from conformance import ROOT
from conformance.smoke import Smoke
from tests.family import children

pytestmark = pytest.mark.slow

SKELETONS = ROOT / "conformance" / "skeletons"

STEPS = [
    "starts",
    "says hello in time",
    "its hello is valid",
    "reads leveldb-log/one-record",
    "gives the same answer again",
    "leaves the log unchanged",
    "accepts a line of more than a mebibyte",
    "survives a path without a file",
    "exits on bye",
    "exits at the end of its input",
    "prints nothing but replies",
    "one-shot: read leveldb-log PATH",
]
READS = "reads leveldb-log/one-record"
LONG_LINE = "accepts a line of more than a mebibyte"
NOWHERE = "survives a path without a file"
ONE_SHOT = "one-shot: read leveldb-log PATH"

RIGHT = """
HELLO["profiles"] = ["recover"]
HELLO["reports"] = ["records", "signals"]
def reply(request):
    if not os.path.exists(request["path"]):
        return {"seq": request["seq"], "skipped": "no such file"}
    return {"seq": request["seq"], "answer": answer(request["path"])}
def answer(path):
    data = open(path, "rb").read()
    return {"records": [{"payload": data[7:].hex()}], "signals": []}
"""


@pytest.fixture
def smoke(vectors):
    """Return the findings of a command by step, in step order."""

    def run(command, one_shot=False, seconds=10):
        arguments = shlex.split(command) if isinstance(command, str) else command
        steps = Smoke(arguments, vectors, ["leveldb-log"], seconds)
        steps.run(one_shot)
        assert children() == []
        return {finding.step: finding for finding in steps.findings}

    return run


def wrong_steps(findings):
    return {step: f.fault for step, f in findings.items() if f.status == "wrong"}


class TestRight:
    def test_every_step_passes(self, smoke, program):
        loop = "if sys.argv[1:2] == ['read']: sys.exit(print(json.dumps(answer(sys.argv[3]))))\n"
        findings = smoke(program(RIGHT, loop + PLAIN_LOOP))
        assert list(findings) == STEPS
        assert {finding.status for finding in findings.values()} == {"right"}

    def test_the_one_shot_form_is_optional(self, smoke, program):
        findings = smoke(program(RIGHT))
        assert wrong_steps(findings) == {}
        assert findings[ONE_SHOT].status == "untested"
        assert "no answer, exit status 0" in findings[ONE_SHOT].note

    def test_a_writer_takes_a_long_record(self, smoke):
        adapter = ROOT / "conformance" / "implementations" / "executable-spec" / "adapter.py"
        findings = smoke([sys.executable, str(adapter)])
        assert findings[LONG_LINE].note.startswith("writes 10488")
        assert wrong_steps(findings).keys() <= {NOWHERE}

    def test_a_refused_long_record_passes(self, smoke, program):
        lines = (
            RIGHT
            + """
HELLO["profiles"].append("write")
read = reply
def reply(request):
    if request["cmd"] == "read":
        return read(request)
    return {"seq": request["seq"], "refused": f"{len(request['records'][0]['payload'])} digits"}
"""
        )
        findings = smoke(program(lines))
        assert wrong_steps(findings) == {}
        assert findings[LONG_LINE].note == "refuses the record: 2097152 digits"

    def test_a_format_without_vectors_is_not_tried(self, program):
        steps = Smoke(program(RIGHT), {}, ["leveldb-log"])
        steps.run()
        notes = {finding.step: finding.note for finding in steps.findings}
        assert notes["reads a log"] == "none of its formats is tested"

    def test_a_one_shot_program(self, smoke, program):
        loop = "print(json.dumps(answer(sys.argv[3])))"
        assert list(smoke(program(RIGHT, loop), one_shot=True)) == [ONE_SHOT]


PLAIN_LOOP = """
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "bye":
        break
    send(HELLO if request["cmd"] == "hello" else reply(request))
"""
KEEPS_BUFFERING = PLAIN_LOOP.replace("send(", "replies.append(")


class TestHello:
    @pytest.mark.parametrize(
        ("lines", "loop", "step", "expected", "actual"),
        [
            ("", "sys.exit('no config')", "says hello in time", "a line of JSON", "exit status 1"),
            ("replies = []", KEEPS_BUFFERING, "says hello in time", "flushed", "within 1 s"),
            ("", "print('Hi!')", "says hello in time", "a line of JSON", "b'Hi!\\n'"),
            ("", "print('{}')", "its hello is valid", "hello-reply", '"name" is a required'),
            ("HELLO['formats'] = ['no-log']", PLAIN_LOOP, "its hello is valid", "", "no-log ("),
            (
                "HELLO['reports'] = ['records', 'mood']",
                PLAIN_LOOP,
                "its hello is valid",
                "",
                "reports: mood (there is at, end, lost,",
            ),
        ],
        ids=["exits", "buffered", "text", "empty", "formats", "reports"],
    )
    def test_an_adapter_fault_is_attributed(
        self, smoke, program, lines, loop, step, expected, actual
    ):
        seconds = 1 if loop == KEEPS_BUFFERING else 10
        findings = smoke(program(lines, loop), seconds=seconds)
        assert wrong_steps(findings) == {step: "adapter"}
        assert expected in findings[step].expected and actual in findings[step].actual

    def test_a_missing_program_is_reported(self, smoke):
        findings = smoke("./no-such-program")
        assert wrong_steps(findings) == {"starts": "adapter"}
        assert "No such file or directory" in findings["starts"].actual

    def test_the_end_of_stderr_is_shown(self, smoke, program):
        findings = smoke(program(loop="sys.exit('no config')"))
        assert findings["says hello in time"].stderr == "no config"


class TestWrong:
    """The faults of each wrong implementation. Those adapters crash on an unknown path."""

    @pytest.mark.parametrize(
        ("name", "blamed"),
        [
            ("prints_garbage", {READS: "adapter", LONG_LINE: "adapter"}),
            ("prints_its_progress", {READS: "adapter", LONG_LINE: "adapter"}),
            ("answers_twice", {"gives the same answer again": "adapter"}),
            ("forgets_bye", dict.fromkeys(["exits on bye", "exits at the end of its input"])),
            ("crashes_on_case_3", {LONG_LINE: "implementation"}),
            ("invents_a_record", {READS: "implementation", ONE_SHOT: "implementation"}),
            ("removes_the_log", {"leaves the log unchanged": "implementation"}),
            ("greets_with_garbage", {"its hello is valid": "adapter"}),
        ],
    )
    def test_faults_are_attributed(self, smoke, wrong, name, blamed, monkeypatch):
        monkeypatch.setattr("conformance.smoke.BYE_SECONDS", 1.0)
        seconds = 1.5 if name == "forgets_bye" else 10
        findings = wrong_steps(smoke(wrong(name), seconds=seconds))
        for step, fault in blamed.items():
            assert findings[step] == (fault or "adapter")

    def test_damage_handling_is_not_tested(self, smoke, wrong):
        assert wrong_steps(smoke(wrong("ignores_checksums"))).keys() <= {NOWHERE}

    def test_raw_line_and_number_are_shown(self, smoke, wrong):
        finding = smoke(wrong("answers_another_request"))[READS]
        assert (finding.expected, finding.actual) == ("seq 1", "2")
        assert finding.line.startswith('{"seq": 2, "answer"')

    @pytest.mark.parametrize(
        ("change", "step", "fault", "actual"),
        [
            (
                "if request['seq'] == 2: time.sleep(60)",
                "gives the same answer again",
                "adapter",
                "2 s",
            ),
            (
                "if request['seq'] > 1: return {'seq': request['seq'], 'answer': {'records': []}}",
                "gives the same answer again",
                "implementation",
                '{"answer":{"records":[]}}',
            ),
            (
                "open(request['path'], 'ab').write(b'.')",
                "leaves the log unchanged",
                "implementation",
                "14 bytes, changed",
            ),
            ("assert len(str(request)) < 65536", LONG_LINE, "adapter", "exit status 1"),
            ("assert os.path.exists(request['path'])", NOWHERE, "adapter", "exit status 1"),
            (
                "sys.exit('panic: short buffer\\n\\ngoroutine 1 [running]:\\nmain.read(...)')",
                READS,
                "adapter",
                "exit status 1, panic: short buffer",
            ),
            (
                "sys.exit(\"thread 'main' panicked at src/log.rs:30:5:\\nboom\")",
                READS,
                "adapter",
                "exit status 1, thread 'main' panicked at src/log.rs:30:5:",
            ),
            ("os.abort()", READS, "implementation", "killed by SIGABRT"),
            (
                "return {'seq': request['seq'], 'answer': {'records': [{'payload': 'FF'}]}}",
                READS,
                "adapter",
                "read-reply: answer/records/0",
            ),
        ],
        ids=[
            "slow",
            "fickle",
            "writes",
            "short lines",
            "no path",
            "panics in Go",
            "panics in Rust",
            "aborts",
            "upper case",
        ],
    )
    def test_one_fault_is_summarised(self, smoke, program, change, step, fault, actual):
        lines = RIGHT.replace("def reply(request):", f"def reply(request):\n    {change}", 1)
        finding = smoke(program(lines))[step]
        assert (finding.status, finding.fault) == ("wrong", fault)
        assert actual in finding.actual

    @pytest.mark.parametrize(
        ("loop", "step", "actual"),
        [
            (PLAIN_LOOP + "sys.exit(4)", "exits on bye", "exit status 4"),
            (PLAIN_LOOP + "print('Goodbye!')", "prints nothing but replies", "also: Goodbye!"),
            (
                PLAIN_LOOP.replace("        break", "        os.kill(os.getpid(), 9)"),
                "exits on bye",
                "killed by SIGKILL",
            ),
        ],
    )
    def test_the_summary_is_printed(self, smoke, program, loop, step, actual):
        finding = smoke(program(RIGHT, loop))[step]
        assert (finding.status, finding.fault, finding.actual) == ("wrong", "adapter", actual)

    @pytest.mark.parametrize(
        ("name", "fault"),
        [("one_shot_prints_text", "adapter"), ("one_shot_crashes_at_exit", "implementation")],
    )
    def test_the_one_shot_form_is_summarised(self, smoke, wrong, name, fault):
        assert wrong_steps(smoke(wrong(name), one_shot=True)) == {ONE_SHOT: fault}


class TestCommandLine:
    def test_a_skeleton_exits_0(self, walproof):
        command = shlex.join([sys.executable, str(SKELETONS / "python" / "adapter.py")])
        outcome = walproof("check", "--smoke", "--cmd", command)
        assert outcome.status == 0
        for step in STEPS:
            assert step in outcome.out
        assert "adapter speaks the protocol; read() is not written yet" in outcome.out

    def test_a_correct_adapter_is_referred_to_check(self, walproof, program):
        outcome = walproof("check", "--smoke", "--cmd", shlex.join(program(RIGHT)))
        assert outcome.status == 0
        assert outcome.out.splitlines()[-1] == (
            "The adapter speaks the protocol; the next step is walproof check."
        )

    def test_an_adapters_fault_exits_3(self, walproof, wrong):
        outcome = walproof("check", "--smoke", "--cmd", wrong("prints_garbage"))
        assert outcome.status == 3
        assert "b'3 records, all fine!" in outcome.out and "the adapter's" in outcome.out
        assert "Found 2 faults of the adapter." in outcome.out

    def test_an_implementations_fault_exits_3(self, walproof, program):
        lines = RIGHT.replace("data[7:]", "data[8:]")
        outcome = walproof("check", "--smoke", "--cmd", shlex.join(program(lines)))
        assert outcome.status == 3
        assert 'expected "alpha" (5 bytes), found "lpha" (4 bytes)' in outcome.out
        assert "The adapter speaks the protocol; 1 fault of the implementation." in outcome.out

    def test_the_printed_command_shows_the_messages(self, walproof, program, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        lines = RIGHT.replace("data[7:]", "data[8:]")
        *_, ask = (
            walproof("check", "--smoke", "--cmd", shlex.join(program(lines)))
            .out.strip()
            .splitlines()
        )
        outcome = walproof(*shlex.split(ask)[1:])
        assert outcome.status == 3
        assert 'expected "alpha" (5 bytes), found "lpha" (4 bytes)' in outcome.out
        assert list((tmp_path / "kept").iterdir())

    def test_a_missing_hello_suggests_the_one_shot_form(self, walproof, wrong):
        outcome = walproof("check", "--smoke", "--cmd", wrong("one_shot_hides_damage"))
        assert outcome.status == 3 and "use --one-shot" in outcome.out
        arguments = ["--one-shot", "--format", "leveldb-log"]
        outcome = walproof("check", "--smoke", *arguments, "--cmd", wrong("one_shot_hides_damage"))
        assert outcome.status == 0 and "The one-shot form works" in outcome.out

    @pytest.mark.parametrize(
        "arguments", [[], ["--cmd", ""], ["--cmd", "x", "--format", "no-such-log"]]
    )
    def test_a_usage_error_exits_1(self, walproof, arguments):
        assert walproof("check", "--smoke", *arguments).status == 1

    def test_plain_text_on_a_plain_console(self):
        command = shlex.join([sys.executable, str(SKELETONS / "python" / "adapter.py")])
        done = subprocess.run(
            [sys.executable, "-m", "walproof", "check", "--smoke", "--cmd", command],
            env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"},
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(b"+ starts\n")
