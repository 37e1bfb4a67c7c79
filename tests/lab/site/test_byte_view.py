"""The differences between a log and its control."""

from __future__ import annotations

import pytest

from conformance.vectors import Vector
from lab.site.byte_view import MAX_FIELDS, Changes, changes, views

LONG = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (b"abc", b"abc", Changes()),
        (b"abcdef", b"aBcdEF", Changes(1, 6)),
        (b"abcdef", b"abc", Changes(3, 3, 3)),
        (b"abcdef", b"adef", Changes(1, 1, 2)),
        (b"abc", b"abXYc", Changes(2, 4)),
        (b"abcdef", b"abXef", Changes(2, 3, 1)),
        (b"", b"ab", Changes(0, 2)),
        (b"aaa", b"aa", Changes(2, 2, 1)),
        (LONG, LONG[:5000] + LONG[5100:], Changes(5000, 5000, 100)),
    ],
)
def test_what_is_other_than_in_the_control(old: bytes, new: bytes, found: Changes) -> None:
    assert changes(old, new) == found


def test_a_long_log_is_folded_around_its_fault(tree: dict[str, Vector]) -> None:
    vector, control = (tree[f"kahadb-journal/{name}"] for name in ("batch-twice", "five-batches"))
    (file,), _ = views(vector, control)
    assert len([row for row in file.rows if row.path]) == MAX_FIELDS
    assert [row.start + row.size for row in file.rows[:-1]] == [row.start for row in file.rows[1:]]
    gaps = [row for row in file.rows if not row.path]
    assert gaps and not any(row.is_changed for row in gaps)
