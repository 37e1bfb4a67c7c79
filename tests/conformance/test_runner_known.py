"""Known failures in a run: pinned by class and difference, and run once."""

from __future__ import annotations

import pytest

from conformance.known_failures import KnownFailure, KnownFailures
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

    def test_the_pinned_failure_is_known(self, cases):
        (result,) = run(scripted(nothing, self.known()), cases("one-record")).results
        assert (result["class"], result["cause"]) == ("known-failure", "It looks at nothing.")

    def test_another_difference_is_a_failure(self, cases):
        other = scripted(lambda request: {"records": [{"payload": "00"}]}, self.known())
        (result,) = run(other, cases("one-record")).results
        assert result["class"] == "fail"
        assert result["cause"].startswith("listed with another difference: records: expected 1")

    def test_a_pass_is_unexpected(self, cases, vector):
        records = vector("one-record").body["expect"]["records"]
        subject = scripted(lambda request: {"records": records}, self.known())
        (result,) = run(subject, cases("one-record")).results
        assert result["class"] == "unexpected-pass"
        assert result["cause"] == "It looks at nothing."

    def test_a_skipped_entry_stays_skipped(self, cases):
        subject = scripted(lambda r: {"seq": r["seq"], "skipped": "no"}, self.known())
        (result,) = run(subject, cases("one-record")).results
        assert result["class"] == "skipped"


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
        difference = "no reply within 2 s"
        return KnownFailures(
            causes={"c": "It loops."},
            entries={
                (f"leveldb-log/{slug}", "recover"): KnownFailure(
                    f"leveldb-log/{slug}", "recover", "timeout", difference, "c"
                )
                for slug in slugs
            },
        )

    def test_a_known_failure_is_run_once(self, cases, program, tmp_path):
        known = self.known("one-record")
        subject = Subject("s", "s", program(self.HANGS), known, writes=[tmp_path])
        by_name = by_slug(run(subject, cases("one-record", "two-blocks", "three-records")))
        assert [result["class"] for result in by_name.values()] == ["known-failure", "fail", "fail"]
        assert len(list(tmp_path.glob("started-*"))) == 2  # the second session for the later cases

    def test_a_fixed_known_failure_is_unexpected(self, cases, program, tmp_path):
        known = self.known("two-blocks")
        subject = Subject("s", "s", program(self.HANGS), known, writes=[tmp_path])
        by_name = by_slug(run(subject, cases("two-blocks", "three-records")))
        assert by_name["two-blocks"]["class"] == "fail"
        assert "listed with another difference" in by_name["two-blocks"]["cause"]
