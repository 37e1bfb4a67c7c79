"""A session limits its process, classifies failures, and ends the process in every case."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time

import pytest

from conformance import process
from conformance.process import CannotStart, Limits, OverLimit, ProgramCrash, Timeout
from conformance.program_session import (
    OneShotSession,
    ProtocolSession,
    probe_hello,
    reported_parts,
)
from conformance.protocol.messages import ProtocolError
from conformance.sandbox import Sandbox, bubblewrap
from conformance.scratch import IN_MEMORY
from tests.family import children

READ = {
    "cmd": "read",
    "seq": 1,
    "format": "leveldb-log",
    "path": "/nowhere",
    "profile": "recover",
    "context": {},
    "limits": {"wall_ms": 1000},
}
SMALL = Limits(memory_bytes=200 << 20, output_bytes=1 << 20)
ONE_SHOT = """
if sys.argv[1:2] == ["read"]:
    {}
"""


@pytest.fixture(params=["alone", "sandbox"])
def sandbox(request, scratch):
    """Return a sandbox or None. The results must be the same with both."""
    return Sandbox(scratch.folder) if request.param == "sandbox" else None


def ask(command, *requests, wall_ms=5000, limits=SMALL, sandbox=None):
    """Return the replies to some requests, and end the process in any case."""
    session = ProtocolSession(command, limits, sandbox)
    try:
        session.start()
        return [session.request(request, wall_ms) for request in requests]
    finally:
        session.close()
        assert children() == []


def ask_once(command, wall_ms=5000, limits=SMALL, sandbox=None):
    try:
        return OneShotSession(command, limits, sandbox).request(READ, wall_ms)
    finally:
        assert children() == []


def body(line):
    return f"""
def reply(request):
    {line}
    return {{"seq": request["seq"], "answer": {{"records": []}}}}
"""


class TestLongLived:
    def test_replies_are_in_order(self, program):
        second = {**READ, "seq": 2}
        assert ask(program(body("pass")), READ, second) == [
            {"seq": 1, "answer": {"records": []}},
            {"seq": 2, "answer": {"records": []}},
        ]

    def test_lines_may_be_long_in_both_directions(self, program):
        lines = """
        def reply(request):
            return {"seq": 1, "answer": {"records": [{"payload": request["context"]["hex"]}]}}
        """
        payload = "ab" * (3 << 20)
        limits = Limits(output_bytes=16 << 20)
        (reply,) = ask(program(lines), {**READ, "context": {"hex": payload}}, limits=limits)
        assert reply["answer"]["records"] == [{"payload": payload}]

    @pytest.mark.skipif(bubblewrap() is None, reason="only a PID namespace ends daemons")
    @pytest.mark.parametrize(("memory", "error"), [(16 << 30, Timeout), (200 << 20, OverLimit)])
    def test_children_started_during_exit_are_ended(
        self, memory, error, program, tmp_path, scratch
    ):
        held = tmp_path / "held"
        starts = f"""
        import fcntl
        held = open({str(held)!r}, "w")
        fcntl.flock(held, fcntl.LOCK_SH)
        def reply(request):
            for _ in range(1000):
                if os.fork() == 0:
                    os.setsid()
                    time.sleep(60)
                    os._exit(0)
                time.sleep(0.001)
        """
        limits, sandbox = Limits(memory_bytes=memory), Sandbox(scratch.folder, writes=[tmp_path])
        with pytest.raises(error):
            ask(program(starts), READ, wall_ms=300, limits=limits, sandbox=sandbox)
        with held.open() as file:
            # The lock fails if a process still has the file open.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    @pytest.mark.parametrize(
        ("line", "error", "message"),
        [
            ("sys.exit(7)", ProgramCrash, "exit status 7"),
            ("sys.exit(0)", ProgramCrash, "exit status 0"),
            ("os.abort()", ProgramCrash, "killed by SIGABRT"),
            ("os.kill(os.getpid(), 40)", ProgramCrash, "killed by signal 40"),
            ("os.write(1, b'{'); os.abort()", ProgramCrash, "killed by SIGABRT"),
            ("os.write(1, b'{'); sys.exit(1)", ProgramCrash, "exit status 1"),
            ("os.write(1, b'{'); sys.exit(0)", ProtocolError, "the output ends inside a line"),
            ("os.write(1, b'hm\\n')", ProtocolError, "expected a line of JSON, found b'hm"),
            ("os.write(1, b'{}\\n')", ProtocolError, "read-reply: the message: "),
            ("request['seq'] = 9", ProtocolError, "expected seq 1, found 9"),
            ("os.write(1, b'x' * (3 << 20))", OverLimit, "a reply of more than 1048576 bytes"),
            ("request['x'] = b'x' * (300 << 20); time.sleep(60)", OverLimit, "more than 200 MiB"),
        ],
    )
    def test_failures_are_classified(self, program, line, error, message, sandbox):
        with pytest.raises(error) as raised:
            ask(program(body(line)), READ, sandbox=sandbox)
        assert message in str(raised.value)

    @pytest.mark.parametrize("line", ["time.sleep(60)", "os.close(1); time.sleep(60)"])
    def test_a_late_reply_is_a_timeout(self, program, line):
        started = time.monotonic()
        with pytest.raises(Timeout, match=r"no reply within 0\.3 s"):
            ask(program(body(line)), READ, wall_ms=300)
        assert time.monotonic() - started < 10

    def test_memory_of_children_counts(self, program):
        lines = """
        import subprocess
        def reply(request):
            eat = "import time; eaten = b'x' * (300 << 20); time.sleep(60)"
            subprocess.run([sys.executable, "-c", eat])
        """
        with pytest.raises(OverLimit, match="more than 200 MiB of memory"):
            ask(program(lines), READ, wall_ms=30_000)

    @pytest.mark.skipif(not IN_MEMORY.is_dir(), reason="no file can lie in memory here")
    def test_files_in_memory_count(self, program, monkeypatch):
        monkeypatch.setattr(process, "SHARED_BYTES", 0)
        folder = tempfile.mkdtemp(prefix="walproof-test-", dir=IN_MEMORY)
        lines = """
        def reply(request):
            with open(request["path"], "wb") as file:
                for _ in range(300):
                    file.write(bytes(1 << 20))
            time.sleep(60)
        """
        try:
            with pytest.raises(OverLimit, match="more than 200 MiB of memory"):
                ask(program(lines), READ | {"path": f"{folder}/log"}, wall_ms=30_000)
        finally:
            shutil.rmtree(folder)

    def test_the_end_of_stderr_is_reported(self, program):
        lines = """
        def reply(request):
            sys.stderr.write("first\\n" + "x" * 200_000 + "last")
            sys.exit(1)
        """

        session = ProtocolSession(program(lines), SMALL)
        session.start()
        with pytest.raises(ProgramCrash):
            session.request(READ, 5000)
        tail = session.stderr
        assert tail.endswith("xlast") and "first" not in tail and len(tail) <= 4096

    def test_hello_must_be_in_time(self, program):
        with pytest.raises(Timeout):
            ask(program(loop="time.sleep(60)"), limits=Limits(start_seconds=0.3))

    def test_no_core_files(self, program):
        lines = """
        import resource
        def reply(request):
            limit = resource.getrlimit(resource.RLIMIT_CORE)[0]
            return {"seq": request["seq"], "skipped": f"core {limit}"}
        """
        (reply,) = ask(program(lines), READ)
        assert reply["skipped"] == "core 0"


class TestOneShot:
    def run(self, program, line, **options):
        return ask_once(program(loop=ONE_SHOT.format(line)), **options)

    def test_the_answer_may_span_lines(self, program):
        line = "print(json.dumps({'records': [], 'verdict': 'intact'}, indent=1)); sys.exit(3)"
        reply = self.run(program, line)
        assert reply == {"seq": 1, "answer": {"records": [], "verdict": "intact"}}

    def test_a_program_may_skip(self, program):
        reply = self.run(program, "print(json.dumps({'skipped': 'not my format'}))")
        assert reply == {"seq": 1, "skipped": "not my format"}

    @pytest.mark.parametrize(
        ("line", "error", "message"),
        [
            ("sys.exit(4)", ProgramCrash, "exit status 4"),
            ("print('{}'); sys.stdout.flush(); os.abort()", ProgramCrash, "killed by SIGABRT"),
            ("print('no')", ProtocolError, "expected a line of JSON"),
            ("print('{}')", ProtocolError, "one-shot answer: the message"),
            ("print(json.dumps({'skipped': ''}))", ProtocolError, "one-shot read-reply: skipped"),
            ("print('x' * (3 << 20))", OverLimit, "a reply of more than"),
        ],
    )
    def test_failures_are_classified(self, program, line, error, message, sandbox):
        with pytest.raises(error) as raised:
            self.run(program, line, sandbox=sandbox)
        assert message in str(raised.value)

    def test_a_late_answer_is_a_timeout(self, program):
        with pytest.raises(Timeout):
            self.run(program, "time.sleep(60)", wall_ms=300)

    def test_reports_are_the_printed_parts(self):
        records = [{"payload": "00", "at": 0}, {"payload": "01", "at": 9, "size": 9}]
        assert reported_parts({"records": records, "end": None}) == ["records", "end", "at"]
        assert reported_parts({"records": [], "verdict": "torn"}) == ["records", "verdict"]

    def test_the_form_of_a_program_is_detected(self, program):
        assert probe_hello(program())[1] is None
        assert probe_hello(program(loop="sys.exit(1)")) == ({}, "exit status 1")
        with pytest.raises(CannotStart, match=r"cannot start \./no-such-program"):
            probe_hello(["./no-such-program"])

    def test_a_script_without_its_interpreter_cannot_be_started(self, tmp_path, sandbox):
        script = tmp_path / "reader"
        script.write_text("#!/nowhere/python\n")
        script.chmod(0o755)
        with pytest.raises(CannotStart, match=f"cannot start {script}: No such file"):
            probe_hello([str(script)], sandbox)
