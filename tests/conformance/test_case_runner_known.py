"""A known failure is matched by class and difference, and its case runs only once."""

from __future__ import annotations

from conformance.checked_program import CheckedProgram
from conformance.known_failures import KnownFailure, KnownFailures
from tests.conformance.scripted import by_slug, run


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
        return KnownFailures(
            causes={"c": "It loops."},
            entries={
                (f"leveldb-log/{slug}", "recover"): KnownFailure(
                    f"leveldb-log/{slug}", "recover", "timeout", {}, "c"
                )
                for slug in slugs
            },
        )

    def test_a_known_failure_is_run_once(self, cases, program, tmp_path):
        known = self.known("one-record")
        subject = CheckedProgram("s", "s", program(self.HANGS), known, writes=[tmp_path])
        by_name = by_slug(run(subject, cases("one-record", "two-blocks", "three-records")))
        assert [result["class"] for result in by_name.values()] == ["known-failure", "fail", "fail"]
        # The first session ends with the known failure, so a second session runs the other cases.
        assert len(list(tmp_path.glob("started-*"))) == 2
