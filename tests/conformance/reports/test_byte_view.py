"""The byte view shows the differences between a log and its control."""

from __future__ import annotations

import pytest

from conformance import VECTORS
from conformance.reports.byte_view import MAX_FIELDS, changed_range, views
from conformance.vectors import load


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (b"abc", b"abc", range(0)),
        (b"abcdef", b"aBcdEF", range(1, 6)),
        (b"abcdef", b"adef", range(0)),
        (b"abc", b"abXYc", range(2, 4)),
        (b"abcdef", b"abXef", range(2, 3)),
        (b"", b"ab", range(2)),
    ],
)
def test_differences_from_the_control_are_marked(old: bytes, new: bytes, found: range) -> None:
    assert changed_range(old, new) == found


def test_a_long_log_is_folded_around_its_fault() -> None:
    names = ("batch-twice", "five-batches")
    vector, control = (load(VECTORS / "kahadb-journal" / f"{name}.json") for name in names)
    (file,), _ = views(vector, control)
    assert len([row for row in file.rows if row.path]) == MAX_FIELDS
    assert [row.start + row.size for row in file.rows[:-1]] == [row.start for row in file.rows[1:]]
    gaps = [row for row in file.rows if not row.path]
    assert gaps and not any(row.is_changed for row in gaps)
