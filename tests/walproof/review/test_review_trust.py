"""The review reports readers that do not run, and data corrects the structural diff."""

from __future__ import annotations

from pathlib import Path

import pytest

from walproof.review.finding import CannotReview, Finding
from walproof.review.fresh_damage import Aim, aim_at, aimed
from walproof.review.logs import LogUnderReview
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


def log(contents: bytes, **more: object) -> LogUnderReview:
    answers = {"old": {"answer": {"records": [{"at": 0}, {"at": 5}], "lost": []}},
               "new": {"answer": {"records": [{"at": 0}], "lost": []}}}  # fmt: skip
    return LogUnderReview("a", "leveldb-log", contents, {}, {"old", "new"}, False,
                          answers=answers, **more)  # type: ignore[arg-type]  # fmt: skip


def test_damage_uses_numbers_of_changed_expressions(tmp_path: Path) -> None:
    change = "size: len_data >= 17 → len_data >= 16"
    rests = Finding("FIELD_RESIZED", ("READ",), "breaking", "a", change, "b", fields=("c",))
    added = Finding("FIELD_ADDED", ("READ",), "breaking", "a", "99 more", "b")
    aim = aim_at([rests, added])
    assert aim == Aim(frozenset({16, 17}), frozenset({"size", "len_data"}))
    path = Path(__file__).parents[3] / "vectors" / "leveldb-log" / "three-records.log"
    names = [copy.name for copy in aimed([log(path.read_bytes())], aim)]
    assert "a · truncate at 17" in names and "a · extend by 1 zero" in names
    for number in (15, 16, 17, 18):
        assert f"a · set blocks[0].records[0].header.len_data to {number}" in names
    assert list(aimed([log(b"abc")], Aim())) == []
