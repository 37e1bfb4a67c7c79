"""Running cases: order, isolation, known failures, and what a run says of itself."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import psutil
import pytest

from conformance import runner, scratch
from conformance.baselines import BASELINES, TURN
from conformance.cases import cases_of
from conformance.known_failures import KnownFailure, KnownFailures
from conformance.protocol.child import LEAST, Child, Crash, Limits
from conformance.runner import Runner, run_subjects
from conformance.subject import Subject, baseline_subjects
from tests.family import children

FIVE = ["one-record", "three-records", "empty-log", "two-blocks", "cut-in-a-payload"]


def by_slug(run):
    return {result["vector"].split("/")[1]: result for result in run.results}


@pytest.fixture
def cases(vector):
    return lambda *slugs, profiles=("recover",): cases_of(
        [vector(slug) for slug in slugs], profiles
    )


def run(subject, cases, **options):
    return asyncio.run(Runner(subject, cases, **options).run())


class Scripted:
    """Answers in this process, as a baseline does, with what a function returns or raises."""

    def __init__(self, script, hello):
        self.script = script
        self.more = hello

    def hello(self):
        return {**BASELINES[0].hello(), "reports": ["records"], **self.more}

    def reply(self, request):
        answer = self.script(request)
        return answer if "seq" in answer else {"seq": request["seq"], "answer": answer}


def scripted(reply, known=None, **hello):
    return Subject("s", "s", (), known or KnownFailures(), baseline=Scripted(reply, hello))


def nothing(request):
    return {"records": []}


def never(request):
    raise AssertionError("asked")


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


class TestKnownFailures:
    def known(self, result="fail", difference=None):
        entry = KnownFailure(
            "leveldb-log/one-record", "recover", result, difference or self.DIFFERENCE, "blind"
        )
        return KnownFailures(
            causes={"blind": "It looks at nothing."}, entries={(entry.vector, "recover"): entry}
        )

    @pytest.fixture(autouse=True)
    def pinned(self, cases):
        (result,) = run(scripted(nothing), cases("one-record")).results
        TestKnownFailures.DIFFERENCE = result["difference"]

    def test_the_very_failure(self, cases):
        (result,) = run(scripted(nothing, self.known()), cases("one-record")).results
        assert (result["class"], result["cause"]) == ("known-failure", "It looks at nothing.")

    def test_another_difference_is_a_failure(self, cases):
        other = scripted(lambda request: {"records": [{"payload": "00"}]}, self.known())
        (result,) = run(other, cases("one-record")).results
        assert result["class"] == "fail"
        assert result["cause"].startswith("listed with another difference: records: expected 1")

    def test_another_class_is_a_failure(self, cases):
        subject = scripted(nothing, self.known("crash"))
        (result,) = run(subject, cases("one-record")).results
        assert result["class"] == "fail"

    def test_a_pass_is_unexpected(self, cases, vector):
        records = vector("one-record").body["expect"]["records"]
        subject = scripted(lambda request: {"records": records}, self.known())
        (result,) = run(subject, cases("one-record")).results
        assert result["class"] == "unexpected-pass"
        assert result["cause"] == "It looks at nothing."

    def test_skipped_stays_skipped(self, cases):
        subject = scripted(lambda r: {"seq": r["seq"], "skipped": "no"}, self.known())
        (result,) = run(subject, cases("one-record")).results
        assert result["class"] == "skipped"

    def test_other_vectors_and_profiles_are_not_covered(self, cases):
        found = run(
            scripted(nothing, self.known()),
            cases("one-record", "three-records", profiles=("recover", "strict")),
        )
        assert [r["class"] for r in found.results] == ["known-failure", "fail", "fail", "fail"]

    def test_a_crash_can_be_known(self, cases):
        def crash(request):
            raise Crash("killed by SIGSEGV")

        known = self.known("crash", "killed by SIGSEGV")
        (result,) = run(scripted(crash, known), cases("one-record")).results
        assert result["class"] == "known-failure"


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


class TestKnownHangers:
    HANGS = """
    from pathlib import Path
    Path(__file__).with_name(f"started-{time.time_ns()}").touch()
    def reply(request):
        log = Path(request["path"]).read_bytes()
        if len(log) < 30:
            time.sleep(60)
        return {"seq": request["seq"], "answer": {"records": []}}
    """

    @staticmethod
    def known(*slugs):
        said = "no reply within 2 s"
        return KnownFailures(
            causes={"c": "It loops."},
            entries={
                (f"leveldb-log/{slug}", "recover"): KnownFailure(
                    f"leveldb-log/{slug}", "recover", "timeout", said, "c"
                )
                for slug in slugs
            },
        )

    def test_they_are_waited_for_beside_the_others_and_once(self, cases, program, tmp_path):
        slugs = ["empty-log", "one-record", "cut-to-nothing"]
        subject = Subject("s", "s", program(self.HANGS), self.known(*slugs), writes=[tmp_path])
        (found,) = asyncio.run(
            run_subjects([subject], lambda _: cases(*slugs, "two-blocks", "three-records"), 3)
        )
        assert [result["class"] for result in found.results] == ["known-failure"] * 3 + ["fail"] * 2
        # One after the other they would take three times as long, and asked again six times.
        assert found.seconds < 5
        assert len(list(tmp_path.glob("started-*"))) == 4  # one for each, one for all the others

    def test_one_that_hangs_in_a_loop_leaves_the_processors_to_others(
        self, cases, program, tmp_path
    ):
        """With every thread of it, and what it has started."""
        lines = """
        import subprocess, threading
        from pathlib import Path
        said = Path(__file__).with_name("said")
        def loop():
            tid = threading.get_native_id()
            while True:
                nice = os.getpriority(os.PRIO_PROCESS, tid)
                if nice:
                    with said.open("a") as file:
                        file.write(f"{nice} ")
                    break
            code = "import os, time; time.sleep(1); print(os.nice(0))"
            done = subprocess.run([sys.executable, "-c", code], capture_output=True)
            with said.open("ab") as file:
                file.write(done.stdout)
            time.sleep(60)
        def reply(request):
            threading.Thread(target=loop).start()
            loop()
        """
        subject = Subject("s", "s", program(lines), self.known("one-record"), writes=[tmp_path])
        (found,) = asyncio.run(run_subjects([subject], lambda _: cases("one-record"), 1))
        assert [result["class"] for result in found.results] == ["known-failure"]
        assert set((tmp_path / "said").read_text().split()) == {str(LEAST)}

    def test_one_that_has_been_mended_is_noticed(self, cases, program, tmp_path):
        known = self.known("two-blocks")
        subject = Subject("s", "s", program(self.HANGS), known, writes=[tmp_path])
        found = by_slug(run(subject, cases("two-blocks", "three-records")))
        assert found["two-blocks"]["class"] == "fail"
        assert "listed with another difference" in found["two-blocks"]["cause"]


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
