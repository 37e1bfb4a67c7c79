"""Running cases: order, isolation, known failures, and what a run says of itself."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import psutil
import pytest

from conformance import runner, scratch
from conformance.baselines import TURN
from conformance.cases import cases_of
from conformance.protocol.child import Child, Limits
from conformance.runner import Runner, run_subjects
from conformance.subject import Subject, baseline_subjects
from tests.conformance.scripted import by_slug, never, nothing, run, scripted
from tests.family import children

FIVE = ["one-record", "three-records", "empty-log", "two-blocks", "cut-in-a-payload"]


class TestOrderAndCount:
    @pytest.mark.parametrize("workers", [1, 3])
    def test_results_stand_in_the_order_of_the_cases(self, cases, program, workers):
        lines = """
        def reply(request):
            time.sleep(0.02 if "one-record" in request["path"] else 0)
            return {"seq": request["seq"], "answer": {"records": []}}
        """
        progress = []
        subject = Subject("s", "s", program(lines))
        found = run(subject, cases(*FIVE), workers=workers, progress=lambda: progress.append(1))
        assert list(by_slug(found)) == FIVE
        assert len(progress) == len(FIVE)
        assert found.status == "ran" and found.hello["name"] == "test"

    def test_every_result_names_the_command_that_repeats_it(self, cases):
        subject = scripted(nothing)
        subject.repeat = "walproof check --impl s"
        (result,) = run(subject, cases("one-record")).results
        assert result["repeat"] == (
            "walproof check --impl s --vector leveldb-log/one-record --profile recover"
        )

    def test_scratch_copies_are_gone_afterwards(self, cases, program, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        monkeypatch.setattr(scratch, "IN_MEMORY", tmp_path)
        run(Subject("s", "s", program("def reply(request): os.abort()")), cases(*FIVE))
        assert [path.name for path in tmp_path.iterdir()] == ["adapter.py"]


class TestCrashIsolation:
    def test_only_the_culprit_suffers(self, cases, program):
        lines = """
        from pathlib import Path
        def reply(request):
            log = Path(request["path"]).read_bytes()
            if len(log) == 0:
                sys.exit("cannot read nothing")
            return {"seq": request["seq"], "answer": {"records": []}}
        """
        found = by_slug(run(Subject("s", "s", program(lines)), cases(*FIVE)))
        culprit = found.pop("empty-log")
        assert (culprit["class"], culprit["difference"]) == ("crash", "exit status 1")
        assert culprit["stderr"] == "cannot read nothing"
        assert culprit["expected"]["records"] == [] and culprit["actual"] is None
        assert {result["class"] for result in found.values()} == {"fail"}

    def test_a_culprit_that_is_right_alone_is_marked(self, cases, program, tmp_path):
        lines = """
        asked = []
        def reply(request):
            asked.append(request)
            if len(asked) == 2:
                os.abort()
            return {"seq": request["seq"], "answer": {"records": []}}
        """
        found = by_slug(run(Subject("s", "s", program(lines)), cases("one-record", "empty-log")))
        assert found["empty-log"]["class"] == "crash"
        assert found["empty-log"]["difference"] == "killed by SIGABRT; alone: pass"

    def test_one_that_was_alone_is_not_run_again(self, cases, program, tmp_path):
        lines = f"""
        def reply(request):
            with open({str(tmp_path / "asked")!r}, "a") as asked:
                asked.write("x")
            return {{"seq": request["seq"] + 1, "skipped": "wrong number"}}
        """
        subject = Subject("s", "s", program(lines), writes=[tmp_path])
        (result,) = run(subject, cases("one-record")).results
        assert result["class"] == "protocol-error"
        assert (tmp_path / "asked").read_text() == "x"

    def test_one_that_cannot_be_started_again_is_broken(self, cases, program, tmp_path):
        lines = f"""
        if os.path.exists({str(tmp_path / "started")!r}):
            sys.exit("already running")
        open({str(tmp_path / "started")!r}, "w").close()
        def reply(request):
            os.abort()
        """
        subject = Subject("s", "s", program(lines), writes=[tmp_path])
        found = run(subject, cases(*FIVE))
        assert found.status == "broken"
        assert found.because == "hello: exit status 1; it wrote: already running"
        assert [result["class"] for result in found.results] == ["crash"]


class TestADefectOfOurs:
    """Where the harness itself fails, no program of any worker stays behind."""

    def test_siblings_end_with_the_worker_that_raised(self, cases, program, monkeypatch):
        lines = """
        def reply(request):
            time.sleep(60)
        """
        pids = []
        real = Child.ask

        async def ask(self, request, wall_ms, owed=None):
            pids.append(self._process.pid)
            if len(pids) == 2:
                raise ZeroDivisionError("ours")
            return await real(self, request, wall_ms, owed)

        monkeypatch.setattr(Child, "ask", ask)
        monkeypatch.setattr(runner, "WORTH_A_START", 1)
        subject = Subject("s", "s", program(lines))

        async def both():
            with pytest.raises(ZeroDivisionError, match="ours"):
                await Runner(subject, cases(*FIVE), workers=2).run()
            return [pid for pid in pids if psutil.pid_exists(pid)]

        assert asyncio.run(both()) == []
        assert len(pids) == 2

    def test_one_that_is_cancelled_while_it_starts_is_ended(self, cases, program):
        subject = Subject("s", "s", program(loop="time.sleep(60)"), isolated=False)

        async def stopped():
            task = asyncio.create_task(Runner(subject, cases("one-record")).run())
            while not any("adapter.py" in " ".join(one.cmdline()) for one in children()):
                await asyncio.sleep(0.01)
            started = children()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return [one for one in started if one.is_running()]

        assert asyncio.run(stopped()) == []


class TestHello:
    def test_a_program_that_is_not_there(self, cases):
        found = run(Subject("s", "s", ["./no-such-program"]), cases(*FIVE))
        assert (found.status, found.results) == ("broken", [])
        assert found.because == "hello: cannot start ./no-such-program: No such file or directory"

    def test_unavailable(self, cases):
        found = run(Subject("s", "s", [], unavailable="go not found"), cases(*FIVE))
        assert (found.status, found.because) == ("unavailable", "go not found")

    def test_another_profile_is_skipped_and_not_asked(self, cases):
        (result,) = run(scripted(never, profiles=["write"]), cases("one-record")).results
        assert (result["class"], result["difference"]) == ("skipped", "not one of its profiles")

    def test_another_format_is_no_result_at_all(self, cases):
        found = run(scripted(never, formats=["no-such-log"]), cases("one-record"))
        assert (found.status, found.results) == ("ran", [])

    def test_a_one_shot_program_may_decline(self, cases, program):
        command = program(loop="print(json.dumps({'skipped': 'not my format'}))")
        subject = Subject("s", "s", command, one_shot=True)
        (result,) = run(subject, cases("one-record")).results
        assert (result["class"], result["difference"]) == ("skipped", "not my format")

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

    def test_a_skipped_prefix_does_not_excuse_a_wrong_one(self, cases):
        def skip_short_ones(request):
            if Path(request["path"]).stat().st_size == 0:
                return {"seq": request["seq"], "skipped": "too short for me"}
            return {"records": []}

        (result,) = run(scripted(skip_short_ones), cases(self.TRUNCATIONS)).results
        assert result["class"] == "fail"
        assert "more requests of this case" in result["difference"]

    def test_all_skipped(self, cases):
        subject = scripted(lambda request: {"seq": request["seq"], "skipped": "no"})
        (result,) = run(subject, cases(self.TRUNCATIONS)).results
        assert result["class"] == "skipped"

    def test_the_pin_covers_every_request(self, cases):
        def wrong_from(length):
            def reply(request):
                size = Path(request["path"]).stat().st_size
                return {"records": []} if size < length else {"records": [{"payload": "00"}]}

            return reply

        differences = {
            run(scripted(wrong_from(length)), cases(self.TRUNCATIONS)).results[0]["difference"]
            for length in (50_000, 60_000, 70_000)
        }
        assert len(differences) > 1


def test_several_subjects_share_the_jobs(cases, program):
    command = program('def reply(request): return {"seq": request["seq"], "skipped": "no"}')
    subjects = [Subject(name, name, command) for name in "abc"]
    runs = asyncio.run(
        run_subjects(subjects, lambda _: cases("one-record"), jobs=2, limits=Limits())
    )
    assert [one.subject.name for one in runs] == ["a", "b", "c"]
    assert all(one.status == "ran" and len(one.results) == 1 for one in runs)


def test_a_baseline_does_not_keep_the_programs_waiting(cases, vectors):
    """It has no process to wait for, and thousands of cases."""
    many = cases_of([one for one in vectors.values() if one.operation == "read"])
    turns = []

    async def others():
        while True:
            turns.append(None)
            await asyncio.sleep(0)

    async def both():
        other = asyncio.create_task(others())
        found = await Runner(baseline_subjects()[0], many).run()
        other.cancel()
        return found

    assert len(asyncio.run(both()).results) == len(many)
    assert len(turns) >= len(many) // TURN


class TestHelp:
    def test_a_second_child_starts_where_much_is_left(self, vectors, program, tmp_path):
        lines = """
        from pathlib import Path
        Path(__file__).with_name(f"started-{time.time_ns()}").touch()
        def reply(request):
            time.sleep(0.005)
            return {"seq": request["seq"], "answer": {"records": []}}
        """
        many = cases_of([one for one in vectors.values() if one.operation == "read"], ["recover"])
        subject = Subject("s", "s", program(lines), writes=[tmp_path])
        for chosen, most in ((many[:100], 2), (many[:20], 1)):
            (found,) = asyncio.run(run_subjects([subject], lambda _, chosen=chosen: chosen, 2))
            assert len(found.results) == len(chosen)
            started = list(tmp_path.glob("started-*"))
            assert len(started) == most
            for path in started:
                path.unlink()

    def test_one_that_starts_when_all_is_done_has_nothing_to_do(self, vectors, program, tmp_path):
        lines = """
        from pathlib import Path
        (mine := Path(__file__).with_name(f"started-{time.time_ns()}")).touch()
        if len(list(mine.parent.glob("started-*"))) > 1:
            time.sleep(1.5)
        def reply(request):
            time.sleep(0.002)
            return {"seq": request["seq"], "answer": {"records": []}}
        """
        many = cases_of([one for one in vectors.values() if one.operation == "read"], ["recover"])
        subject = Subject("s", "s", program(lines), writes=[tmp_path])
        (found,) = asyncio.run(run_subjects([subject], lambda _: many[:60], 2))
        assert len(found.results) == 60
