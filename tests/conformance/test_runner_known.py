"""Known failures and hangers in a run: pinned by class and difference, and waited for once."""

from __future__ import annotations

import asyncio

import pytest

from conformance.known_failures import KnownFailure, KnownFailures
from conformance.protocol.child import LEAST, Crash
from conformance.runner import run_subjects
from conformance.subject import Subject
from tests.conformance.scripted import by_slug, nothing, run, scripted


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
