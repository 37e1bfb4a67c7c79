"""The differences between a log and its control."""

from __future__ import annotations

import pytest

from lab.site.byte_view import Changes, changes

LONG = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (b"abc", b"abc", Changes()),
        (b"abcdef", b"aBcdEF", Changes([(1, 2), (4, 6)])),
        (b"abcdef", b"abc", Changes([], 3, 3)),
        (b"abcdef", b"adef", Changes([], 2, 1)),
        (b"abc", b"abXYc", Changes([(2, 4)])),
        (b"abcdef", b"abXef", Changes([(2, 3)], 2, 2)),
        (b"", b"ab", Changes([(0, 2)])),
        (b"aaa", b"aa", Changes([], 1, 2)),
        (LONG, LONG[:5000] + b"!" + LONG[5001:], Changes([(5000, 5001)])),
        (LONG, LONG[:5000] + LONG[5100:], Changes([], 100, 5000)),
    ],
)
def test_what_is_other_than_in_the_control(old: bytes, new: bytes, found: Changes) -> None:
    assert changes(old, new) == found


def test_many_changes_end_in_one() -> None:
    old, new = bytes(4000), bytes([0, 1]) * 2000
    ranges = changes(old, new).ranges
    assert len(ranges) == 400
    assert ranges[0] == (1, 2) and ranges[-1] == (799, 4000)
