"""Test each line of the table "What survives" of the chapter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest

from conformance import SPEC
from reference_impl.answer import Answer
from tests.reference_impl.sqlite_wal.conftest import EXAMPLE, SLOT_BYTES, answer, at, flipped

CHAPTER = (SPEC / "sqlite-wal.md").read_text("utf-8")
Logs = Iterable[bytes]


def bits(places: Iterable[int]) -> Logs:
    """Yield the example with a flipped bit in each of these bytes in turn; the bit varies."""
    for place in places:
        yield flipped(EXAMPLE, place, place % 8)


def image(slot: int) -> list[int]:
    return [*range(at(slot) + 24, at(slot + 1), 37)]


def head(slot: int) -> list[int]:
    return [*range(at(slot), at(slot) + 8)]


def zeroed(start: int, stop: int) -> Logs:
    yield EXAMPLE[:start] + bytes(stop - start) + EXAMPLE[stop:]


def slot(number: int) -> bytes:
    return EXAMPLE[at(number) : at(number) + SLOT_BYTES]


MADE: dict[str, Callable[[], Logs]] = {
    "none": lambda: [EXAMPLE],
    "a bit of the image, page number or size in slot 5; the size does not become 0": lambda: bits(
        [*head(5), *image(5)]
    ),
    "a bit of the image in slot 3": lambda: bits(image(3)),
    "a bit of the checksum in slot 5": lambda: bits(range(at(5) + 16, at(5) + 24)),
    "a bit of a salt in slot 5": lambda: bits(range(at(5) + 8, at(5) + 16)),
    "a bit of a salt in slot 7": lambda: bits(range(at(7) + 8, at(7) + 16)),
    "a bit of the image, size, page number or checksum in slot 7": lambda: bits(
        [*head(7), *range(at(7) + 16, at(7) + 24), *image(7)]
    ),
    "slot 5 becomes zeros": lambda: zeroed(at(5), at(6)),
    "slot 6 becomes zeros": lambda: zeroed(at(6), at(7)),
    "slots 6 and 7 are swapped": lambda: [EXAMPLE[: at(6)] + slot(7) + slot(6)],
    "slot 6 occurs twice": lambda: [EXAMPLE[: at(7)] + slot(6) + slot(7)],
    "slot 5 is cut out": lambda: [EXAMPLE[: at(5)] + EXAMPLE[at(6) :]],
    "any bit of the header": lambda: (
        flipped(EXAMPLE, byte, bit) for byte in range(32) for bit in range(8)
    ),
    "the header becomes zeros": lambda: zeroed(0, 32),
    "the first 512 bytes become zeros": lambda: zeroed(0, 512),
    "the file is cut at 3700": lambda: [EXAMPLE[:3700]],
    "the file is cut at 1640": lambda: [EXAMPLE[:1640]],
    "the file is cut at 31": lambda: [EXAMPLE[:31]],
    "the file is extended by 4096 zeros": lambda: [EXAMPLE + bytes(4096)],
}


def rows() -> list[list[str]]:
    table = CHAPTER.split("## What survives")[1].split("###")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_each_line_is_made() -> None:
    assert [row[0] for row in rows()] == list(MADE)


def records(read: Answer) -> str:
    """Format the records of an answer as the table does."""
    names = {
        record.payload: f"T{number}" for number, record in enumerate(answer(EXAMPLE).records, 1)
    }
    shown = [
        names[record.payload] + ("*" if record.fields.get("after_loss") else "")
        for record in read.records
    ]
    return " ".join(shown) or "none"


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_line_of_the_table(row: list[str]) -> None:
    damage, survivors, verdict, lost, end = row
    ranges = re.findall(r"`\[(\d+), (\d+)\)` `([a-z-]+)`", lost)
    reason = re.search(r"`([a-z-]+)`", verdict)
    for log in MADE[damage]():
        read = answer(log)
        assert records(read) == survivors
        assert read.verdict == verdict.split(",")[0]
        assert read.reason == (reason[1] if reason else None)
        assert [(str(one.start), str(one.end), one.reason) for one in read.lost] == ranges
        assert str(read.end) == end.replace("null", "None")
