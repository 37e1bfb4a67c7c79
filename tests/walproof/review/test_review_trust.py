"""The review reports readers that cannot run, and reads the right logs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance import ROOT
from walproof.review.finding import CannotReview
from walproof.review.logs import ReviewedLog, damaged_copies, logs_of
from walproof.review.review import review, same_specification

from .trees import copy_of_repository, run_review

SLUGS = ("three-records", "payload-flipped-in-second-record")


def test_syntax_error_in_the_new_side_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CannotReview, match=r"reference_impl/leveldb_log/reader\.py:\d+: SyntaxErr"):
        run_review(
            tmp_path,
            """--- reference_impl/leveldb_log/reader.py
-def looks_like(head: bytes, name: str) -> bool:
+def looks_like(head: bytes, name: str -> bool:""",
            slugs=SLUGS,
        )


def test_old_side_that_does_not_run_is_a_warning(tmp_path: Path) -> None:
    old, new = (copy_of_repository(tmp_path / side, slugs=SLUGS) for side in ("old", "new"))
    (old / "reference_impl" / "formats.py").write_text("raise SystemError('of another time')\n")
    outcome = review(old, new, "main", ("leveldb-log",), count=0)
    assert [finding.rule for finding in outcome.findings] == ["NOT_RUN"]
    assert "of another time" in outcome.findings[0].change


def test_code_of_other_formats_is_ignored(tmp_path: Path) -> None:
    old, new = (copy_of_repository(tmp_path / side, slugs=SLUGS) for side in ("old", "new"))
    reader = new / "reference_impl" / "zmq_raft" / "reader.py"
    reader.write_text(reader.read_text("utf-8") + "\n# one more line\n")
    assert same_specification(old, new, "leveldb-log")
    assert not same_specification(old, new, "zmq-raft")
    shared = new / "reference_impl" / "answer.py"
    shared.write_text(shared.read_text("utf-8") + "\n# one more line\n")
    assert not same_specification(old, new, "leveldb-log")


def test_fresh_damage_is_repeatable_and_leaves_out_unknown_formats() -> None:
    path = ROOT / "vectors" / "leveldb-log" / "three-records.log"
    log = ReviewedLog("a", "leveldb-log", path.read_bytes(), {}, False, sides={"old", "new"})
    copies, again = (list(damaged_copies([log], 40, seed=7)) for _ in range(2))
    assert len(copies) >= 30
    assert [copy.contents for copy in copies] == [copy.contents for copy in again]
    assert all(copy.damaged and copy.control is log for copy in copies)
    assert all(copy.contents != log.contents for copy in copies)
    assert list(damaged_copies([replace(log, format="toy-log")], 40, seed=7)) == []


def test_logs_without_json_are_undamaged_and_equal_logs_are_merged(tmp_path: Path) -> None:
    for side, extra in (("old", b"x"), ("new", b"y")):
        (tmp_path / side / "vectors" / "toy-log").mkdir(parents=True)
        (tmp_path / side / "vectors" / "toy-log" / "same.log").write_bytes(b"same")
        (tmp_path / side / "vectors" / "toy-log" / "other.log").write_bytes(extra)
    roots = {side: tmp_path / side for side in ("old", "new")}
    logs = {log.contents: log.sides for log in logs_of(roots, "toy-log")}
    assert logs == {b"same": {"old", "new"}, b"x": {"old"}, b"y": {"new"}}
