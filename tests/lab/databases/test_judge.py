"""Made-up results of database systems are judged correctly."""

from __future__ import annotations

import pytest

from lab.databases.damaged_logs import ExpectedItems, shortened
from lab.databases.judge import OpeningJudgement, judge_opening
from lab.databases.opening_result import OpeningResult, shape

A, B, C, D = (("a", "1"), ("b", "2"), ("c", "3"), ("d", "4"))
WRITTEN = frozenset({A, B, C, D})
TORN = ExpectedItems(WRITTEN, frozenset({A, B, C}), "torn")
DAMAGED = ExpectedItems(WRITTEN, frozenset({A, C, D}), "damaged")
STALE = ExpectedItems(WRITTEN, frozenset({A, B, C, ("d", "old"), ("e", "old")}), "intact")
USUAL = ["opened log #3 in 12 ms"]


@pytest.mark.parametrize(
    ("expected", "items", "said", "effect", "is_as_expected", "is_silent"),
    [
        (TORN, [A, B], [], "2/4, 1 readable lost **silently**", False, True),
        (TORN, [A, B, C, D], [], "4/4, 1 unproven", True, False),
        (DAMAGED, [A, C, D], ["bad checksum"], "3/4, 1 lost", True, False),
        (DAMAGED, [A, C, D], ["opened log #8 in 7 ms"], "3/4, 1 lost **silently**", False,
         True),
        (DAMAGED, [A], ["bad"], "1/4, 2 readable lost", False, False),
        (DAMAGED, [A, ("b", "9"), C, D], [], "3/4, **1 invented silently**", False, True),
        (STALE, [A, B, C, ("d", "old"), ("e", "old")], [], "3/4, 2 stale",
         True, False),
    ],
)  # fmt: skip
def test_returned_items_are_judged(
    expected, items, said, effect, is_as_expected, is_silent
) -> None:
    result = judge_opening(OpeningResult("opened", items, messages=said), expected, USUAL)
    assert (result.effect, result.is_as_expected, result.is_silent) == (
        effect,
        is_as_expected,
        is_silent,
    )
    assert OpeningJudgement(**result.to_json()) == result


def test_items_lost_after_a_restart_are_counted() -> None:
    opened = OpeningResult("opened", [A, B, C], later=[A, C, ("more", "5")], is_reopened=True)
    result = judge_opening(opened, TORN, [])
    assert result.effect == "3/4, **1 gone after a restart**"
    assert not result.is_as_expected


@pytest.mark.parametrize("end", ["refused", "refused-again", "hangs", "dies"])
def test_a_database_that_does_not_open_returns_nothing_and_a_reason(end: str) -> None:
    result = judge_opening(
        OpeningResult(end, [A], why="Corruption: checksum mismatch"), DAMAGED, []
    )
    assert (result.returned, result.report) == (0, "Corruption: checksum mismatch")
    assert not result.is_as_expected and not result.is_silent
    assert OpeningJudgement(**result.to_json()) == result


def test_lines_are_compared_without_their_numbers() -> None:
    assert shape("Level-0 table #5: 3147 bytes OK") == shape("Level-0 table #9: 12 bytes OK")
    assert shape("Log #3: dropping 27 bytes; checksum mismatch") != shape("Log #3: read 27 bytes")


def test_long_and_binary_values_are_shown_in_short() -> None:
    assert shortened(b"plain text") == "plain text"
    assert shortened(b"\x00\xff") == "0x00ff"
    assert shortened(bytes(49)).startswith("49 bytes, sha256 ")
    assert shortened(bytes(49)) != shortened(bytes(48) + b"\x01")
