"""Cases run in order and in isolation, and a run reports its results and known failures."""

from __future__ import annotations

import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest

from conformance import case_runner, scratch
from conformance.case_runner import run_programs
from conformance.checked_program import CheckedProgram
from conformance.process import Process
from conformance.vector_cases import cases_of
from tests.conformance.scripted import by_slug, never, run, scripted
from tests.family import children

FIVE = ["one-record", "three-records", "empty-log", "two-blocks", "cut-in-a-payload"]


class TestOrderAndCount:
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_results_are_in_case_order(self, cases, program, jobs, monkeypatch):
        monkeypatch.setattr(case_runner, "MIN_SHARD_CASES", 1)
        lines = """
        def reply(request):
            time.sleep(0.02 if "one-record" in request["path"] else 0)
            return {"seq": request["seq"], "answer": {"records": []}}
        """
        progress = []
        subject = CheckedProgram("s", "s", program(lines))
        outcome = run(subject, cases(*FIVE), jobs=jobs, progress=lambda: progress.append(1))
        assert list(by_slug(outcome)) == FIVE
        assert len(progress) == len(FIVE)
        assert outcome.status == "ran" and outcome.hello["name"] == "test"

    def test_scratch_copies_are_gone_afterwards(self, cases, program, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        monkeypatch.setattr(scratch, "IN_MEMORY", tmp_path)
        run(CheckedProgram("s", "s", program("def reply(request): os.abort()")), cases(*FIVE))
        assert [path.name for path in tmp_path.iterdir()] == ["adapter.py"]


class TestCrashIsolation:
    def test_only_the_crashing_case_fails(self, cases, program):
        lines = """
        from pathlib import Path
        def reply(request):
            log = Path(request["path"]).read_bytes()
            if len(log) == 0:
                sys.exit("cannot read nothing")
            return {"seq": request["seq"], "answer": {"records": []}}
        """
        by_name = by_slug(run(CheckedProgram("s", "s", program(lines)), cases(*FIVE)))
        culprit = by_name.pop("empty-log")
        assert (culprit["class"], culprit["difference"]) == ("crash", "exit status 1")
        assert culprit["stderr"] == "cannot read nothing"
        assert culprit["expected"]["records"] == [] and culprit["actual"] is None
        assert {result["class"] for result in by_name.values()} == {"fail"}

    def test_a_crash_that_does_not_repeat_alone_is_marked(self, cases, program, tmp_path):
        lines = """
        asked = []
        def reply(request):
            asked.append(request)
            if len(asked) == 2:
                os.abort()
            return {"seq": request["seq"], "answer": {"records": []}}
        """
        by_name = by_slug(
            run(CheckedProgram("s", "s", program(lines)), cases("one-record", "empty-log"))
        )
        assert by_name["empty-log"]["class"] == "crash"
        assert by_name["empty-log"]["difference"] == "killed by SIGABRT; alone: pass"

    def test_a_case_that_ran_alone_is_not_repeated(self, cases, program, tmp_path):
        lines = f"""
        def reply(request):
            with open({str(tmp_path / "asked")!r}, "a") as asked:
                asked.write("x")
            return {{"seq": request["seq"] + 1, "skipped": "wrong number"}}
        """
        subject = CheckedProgram("s", "s", program(lines), writes=[tmp_path])
        (result,) = run(subject, cases("one-record")).results
        assert result["class"] == "protocol-error"
        assert (tmp_path / "asked").read_text() == "x"

    def test_a_program_that_cannot_restart_is_broken(self, cases, program, tmp_path):
        lines = f"""
        if os.path.exists({str(tmp_path / "started")!r}):
            sys.exit("already running")
        open({str(tmp_path / "started")!r}, "w").close()
        def reply(request):
            os.abort()
        """
        subject = CheckedProgram("s", "s", program(lines), writes=[tmp_path])
        outcome = run(subject, cases(*FIVE))
        assert outcome.status == "broken"
        assert outcome.because == "hello: exit status 1; it wrote: already running"
        assert [result["class"] for result in outcome.results] == ["crash"]


class TestStopping:
    """No program is left running if a run is stopped or the harness fails."""

    HANGS = """
    def reply(request):
        time.sleep(60)
    """

    def test_an_exception_ends_all_shards(self, cases, program, monkeypatch):
        real, started = Process.read_line, []

        def read_line(self, *given):
            started.append(self)
            if len(started) == 4:
                # The first two calls read the hello messages, so the fourth call is the second for
                # a case.
                raise ZeroDivisionError("ours")
            return real(self, *given)

        monkeypatch.setattr(Process, "read_line", read_line)
        monkeypatch.setattr(case_runner, "MIN_SHARD_CASES", 1)
        with pytest.raises(ZeroDivisionError, match="ours"):
            run(CheckedProgram("s", "s", program(self.HANGS)), cases(*FIVE), jobs=2)
        assert children() == []

    def test_ctrl_c_ends_a_program_that_hangs(self, cases, program):
        def interrupt():
            deadline = time.monotonic() + 60
            while not any("adapter.py" in " ".join(each.cmdline()) for each in children()):
                if time.monotonic() > deadline:
                    # A signal sent now would interrupt another test.
                    return
                time.sleep(0.01)
            # A signal interrupts the main thread even while it waits in a system call.
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        subject = CheckedProgram("s", "s", program(loop="time.sleep(60)"))
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            run(subject, cases("one-record"))
        assert children() == []


class TestHello:
    def test_a_missing_program_is_broken(self, cases):
        outcome = run(CheckedProgram("s", "s", ["./no-such-program"]), cases(*FIVE))
        assert (outcome.status, outcome.results) == ("broken", [])
        assert outcome.because == "hello: cannot start ./no-such-program: No such file or directory"

    def test_an_unavailable_subject_has_no_results(self, cases):
        outcome = run(CheckedProgram("s", "s", [], unavailable="go not found"), cases(*FIVE))
        assert (outcome.status, outcome.because) == ("unavailable", "go not found")

    def test_an_unsupported_profile_is_skipped_without_a_request(self, cases):
        (result,) = run(scripted(never, profiles=["write"]), cases("one-record")).results
        assert (result["class"], result["difference"]) == ("skipped", "not one of its profiles")

    def test_an_unsupported_format_has_no_result(self, cases):
        outcome = run(scripted(never, formats=["no-such-log"]), cases("one-record"))
        assert (outcome.status, outcome.results) == ("ran", [])

    def test_only_reported_parts_are_compared(self, cases, vector):
        def records_only(request):
            return {"records": vector("cut-in-a-payload").body["expect"]["records"]}

        (result,) = run(scripted(records_only), cases("cut-in-a-payload")).results
        assert result["class"] == "pass"
        subject = scripted(records_only, reports=["records", "verdict"])
        (result,) = run(subject, cases("cut-in-a-payload")).results
        assert result["class"] == "fail"


class TestManyRequestsInOneCase:
    TRUNCATIONS = "every-prefix-of-three-blocks"

    def test_a_skipped_prefix_does_not_excuse_a_failed_one(self, cases):
        def skip_short_ones(request):
            if Path(request["path"]).stat().st_size == 0:
                return {"seq": request["seq"], "skipped": "too short for me"}
            return {"records": []}

        (result,) = run(scripted(skip_short_ones), cases(self.TRUNCATIONS)).results
        assert result["class"] == "fail"
        assert "more requests of this case" in result["difference"]

    def test_a_case_with_only_skips_is_skipped(self, cases):
        subject = scripted(lambda request: {"seq": request["seq"], "skipped": "no"})
        (result,) = run(subject, cases(self.TRUNCATIONS)).results
        assert result["class"] == "skipped"

    def test_the_pin_covers_every_request(self, cases):
        def wrong_from(length):
            def reply(request):
                size = Path(request["path"]).stat().st_size
                return {"records": []} if size < length else {"records": [{"payload": "00"}]}

            return reply

        found = {
            str(run(scripted(wrong_from(length)), cases(self.TRUNCATIONS)).results[0]["found"])
            for length in (50_000, 60_000, 70_000)
        }
        assert len(found) > 1


@pytest.mark.parametrize(("count", "starts"), [(100, 2), (60, 1)])
def test_many_cases_are_divided_among_processes(vectors, program, tmp_path, count, starts):
    lines = """
    from pathlib import Path
    Path(__file__).with_name(f"started-{time.time_ns()}").touch()
    def reply(request):
        return {"seq": request["seq"], "answer": {"records": []}}
    """
    many = cases_of([each for each in vectors.values() if each.operation == "read"], ["recover"])
    subject = CheckedProgram("s", "s", program(lines), writes=[tmp_path])
    (outcome,) = run_programs([subject], lambda _: many[:count], 2)
    assert len(outcome.results) == count
    assert len(list(tmp_path.glob("started-*"))) == starts
