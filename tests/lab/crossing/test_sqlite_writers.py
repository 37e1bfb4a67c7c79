"""SQLite and Turso write the requested logs, with their own salts and older frames."""

from __future__ import annotations

import pytest

from conformance.registry import all_implementations
from conformance.subject import Subject, subject_of
from lab.crossing.logs import Wanted, added_logs
from lab.crossing.run import cross, written_logs
from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE, HEADER_SIZE

FORMAT = "sqlite-wal"
LOGS = added_logs(FORMAT)
#: Logs that only writers with the table sqlite_dbpage can write.
GIVEN_PAGES = {"crossing/random-images", "crossing/a-transaction-larger-than-the-cache"}


def _subject(name: str) -> Subject:
    implementation = next(each for each in all_implementations() if each.name == name)
    subject = subject_of(implementation, "walproof")
    if subject.unavailable:
        pytest.skip(f"unavailable, because {subject.unavailable}")
    return subject


def _generation(log: bytes) -> tuple[int, int]:
    """Return the sequence number and the number of slots of a log."""
    page_size = int.from_bytes(log[8:12], "big")
    slots = (len(log) - HEADER_SIZE) // (FRAME_HEADER_SIZE + page_size)
    return int.from_bytes(log[12:16], "big"), slots


@pytest.mark.parametrize(
    ("name", "skipped"), [("sqlite", set()), ("sqlite-3.8", GIVEN_PAGES), ("turso", GIVEN_PAGES)]
)
def test_the_specification_reads_the_requested_records(name: str, skipped: set[str]) -> None:
    (pair,) = cross(FORMAT, [_subject(name)], [_subject("executable-spec")], LOGS).pairs
    assert pair.differ == []
    assert set(pair.same) == {each.id for each in LOGS} - skipped


def test_sqlite_leaves_older_frames_after_a_restart() -> None:
    logs = [each for each in LOGS if each.context["sequence"]]
    assert [each.context["sequence"] for each in logs] == [1, 2]
    by_id, missing = written_logs(_subject("sqlite"), logs)
    assert missing == {}
    for each in logs:
        log = by_id[each.id]
        assert isinstance(log, bytes)
        assert _generation(log) == (each.context["sequence"], 2 * _frames(each))


def _frames(log: Wanted) -> int:
    return sum(len(each["pages"]) for each in log.records)
