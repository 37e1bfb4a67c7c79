"""Which records of two logs correspond: what differs can be carried over, and nothing else."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from walproof.difference import align
from walproof.difference.align import differences
from walproof.difference.records import Seen


def log(text: str, numbers: list[int] | None = None) -> list[Seen]:
    return [
        Seen(n, None, None if numbers is None else (str(numbers[n]),), one.encode(), one)
        for n, one in enumerate(text)
    ]


def told(old: list[Seen], new: list[Seen]) -> list[str]:
    marks = {"only in the first": "-", "only in the second": "+", "different": "~"}
    return [
        f"{marks[d.kind]}{d.old.text if d.old else ''}{d.new.text if d.new else ''}"
        for d in differences(old, new)
    ]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("abc", "abc", []),
        ("", "", []),
        ("abc", "ac", ["-b"]),
        ("ac", "abc", ["+b"]),
        ("abc", "axc", ["~bx"]),
        ("abc", "", ["-a", "-b", "-c"]),
        ("abcdef", "abXXcdf", ["+X", "+X", "-e"]),
        ("aaa", "aa", ["-a"]),
    ],
)
def test_without_numbers(old: str, new: str, wanted: list[str]) -> None:
    assert told(log(old), log(new)) == wanted


def test_with_numbers_content_decides_nothing() -> None:
    assert told(log("aab", [1, 2, 3]), log("ab", [2, 3])) == ["-a"]
    assert told(log("ab", [1, 2]), log("ba", [2, 1])) == []
    assert told(log("ab", [1, 2]), log("xb", [1, 2])) == ["~ax"]
    assert told(log("ad", [1, 4]), log("abcd", [1, 2, 3, 4])) == ["+b", "+c"]
    assert told(log("aA", [1, 1]), log("aAB", [1, 1, 1])) == ["+B"]


@given(st.text("abc", max_size=40), st.text("abc", max_size=40), st.sampled_from([3, 20_000]))
def test_every_record_is_told_once_or_is_the_same(old: str, new: str, largest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(align, "LARGEST", largest)
        found = list(differences(log(old), log(new)))
    left = {d.old.at for d in found if d.old}
    right = {d.new.at for d in found if d.new}
    assert len(left) + len(right) == sum((d.old is not None) + (d.new is not None) for d in found)
    rest = [c for n, c in enumerate(old) if n not in left]
    assert rest == [c for n, c in enumerate(new) if n not in right]
    assert (found == []) == (old == new)


def test_long_logs_with_a_piece_missing_are_compared_in_pieces() -> None:
    old = [Seen(n, None, None, str(n).encode(), str(n)) for n in range(60_000)]
    new = old[:10_000] + old[10_003:50_000] + old[50_001:]
    assert told(old, new) == ["-10000", "-10001", "-10002", "-50000"]
