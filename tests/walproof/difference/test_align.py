"""Alignment pairs the corresponding records of two logs and lists all differences."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from walproof.difference.align import differences
from walproof.difference.records import ComparedRecord


def log(text: str, numbers: list[int] | None = None) -> list[ComparedRecord]:
    return [
        ComparedRecord(
            n, None, None if numbers is None else (str(numbers[n]),), character.encode(), character
        )
        for n, character in enumerate(text)
    ]


def listed(old: list[ComparedRecord], new: list[ComparedRecord]) -> list[str]:
    marks = {"only in the first": "-", "only in the second": "+", "different": "~"}
    return [
        f"{marks[d.kind]}{d.old.text if d.old else ''}{d.new.text if d.new else ''}"
        for d in differences(old, new)
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abc", "ac", ["-b"]),
        ("abc", "axc", ["~bx"]),
        ("abcdef", "abXXcdf", ["+X", "+X", "-e"]),
        ("aaa", "aa", ["-a"]),
    ],
)
def test_records_without_numbers_are_compared_by_content(
    old: str, new: str, expected: list[str]
) -> None:
    assert listed(log(old), log(new)) == expected


def test_records_with_numbers_are_paired_by_number() -> None:
    assert listed(log("aab", [1, 2, 3]), log("ab", [2, 3])) == ["-a"]
    assert listed(log("ab", [1, 2]), log("ba", [2, 1])) == []
    assert listed(log("ab", [1, 2]), log("xb", [1, 2])) == ["~ax"]
    assert listed(log("ad", [1, 4]), log("abcd", [1, 2, 3, 4])) == ["+b", "+c"]
    assert listed(log("aA", [1, 1]), log("aAB", [1, 1, 1])) == ["+B"]


@given(st.text("abcdef", max_size=40), st.text("abcdef", max_size=40))
def test_each_record_is_listed_once_or_is_equal(old: str, new: str) -> None:
    found_differences = list(differences(log(old), log(new)))
    left = {d.old.at for d in found_differences if d.old}
    right = {d.new.at for d in found_differences if d.new}
    assert len(left) + len(right) == sum(
        (d.old is not None) + (d.new is not None) for d in found_differences
    )
    rest = [c for n, c in enumerate(old) if n not in left]
    assert rest == [c for n, c in enumerate(new) if n not in right]
    assert (found_differences == []) == (old == new)


def test_records_that_become_unique_one_by_one_are_compared() -> None:
    """Recursion is limited, even if each common record makes only one more record unique."""
    numbers = [each for n in range(3000) for each in (n, n + 2)]
    old = [ComparedRecord(n, None, None, str(n).encode(), str(n)) for n in numbers]
    assert listed(old, [*old[1::2], *old[::2]])


def test_long_logs_with_missing_records() -> None:
    old = [ComparedRecord(n, None, None, str(n).encode(), str(n)) for n in range(60_000)]
    new = old[:10_000] + old[10_003:50_000] + old[50_001:]
    assert listed(old, new) == ["-10000", "-10001", "-10002", "-50000"]
