"""Readers follow each line of the chapter's table "What survives"."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable
from itertools import chain

import pytest

from conformance import SPEC
from reference_impl.answer import Answer
from reference_impl.sqlite_wal.layout import rewind
from tests.reference_impl.sqlite_wal.conftest import EXAMPLE, answer, at, flipped

CHAPTER = (SPEC / "sqlite-wal.md").read_text("utf-8")
Logs = Iterable[bytes]


def bits(places: Iterable[int]) -> Logs:
    """Yield copies of the example, each with a flipped bit in one of these bytes."""
    for place in places:
        yield flipped(EXAMPLE, place, place % 8)


def image(slot: int) -> list[int]:
    return [*range(at(slot) + 24, at(slot + 1), 37)]


def head(slot: int) -> list[int]:
    return [*range(at(slot), at(slot) + 8)]


def zeroed(start: int, stop: int) -> Logs:
    yield EXAMPLE[:start] + bytes(stop - start) + EXAMPLE[stop:]


def hidden_commits() -> Logs:
    """Yield copies of the example in which a flip hides the commit mark of slot 5 (SQW-040)."""
    yield flipped(EXAMPLE, at(5) + 7, 2)  # the size is 4
    before = struct.unpack_from(">2I", EXAMPLE, at(4) + 16)
    stored = struct.unpack_from(">2I", EXAMPLE, at(5) + 16)
    for place in range(at(5) + 24, at(6)):
        for bit in range(8):
            log = flipped(EXAMPLE, place, bit)
            first, second = rewind(stored, log[at(5) + 24 : at(6)], "<")
            if (second - before[1] - first) % 2**32 == 0:
                yield log


HIDDEN = list(hidden_commits())
MADE: dict[str, Callable[[], Logs]] = {
    "none": lambda: [EXAMPLE],
    "the size in slot 5 becomes 0, or a bit of its image makes `z` = 0": lambda: HIDDEN,
    "another bit of the image, page number or size in slot 5": lambda: (
        log for log in bits([*head(5), *image(5)]) if log not in HIDDEN
    ),
    "a bit of the image in slot 3": lambda: bits(image(3)),
    "a bit of the checksum in slot 5": lambda: bits(range(at(5) + 16, at(5) + 24)),
    "a bit of the image, size, page number or checksum in slot 7": lambda: bits(
        [*head(7), *range(at(7) + 16, at(7) + 24), *image(7)]
    ),
    "slot 5 becomes zeros": lambda: zeroed(at(5), at(6)),
    "any bit of the header, or all its bytes become zeros": lambda: chain(
        (flipped(EXAMPLE, byte, bit) for byte in range(32) for bit in range(8)), zeroed(0, 32)
    ),
    "the first 512 bytes become zeros": lambda: zeroed(0, 512),
    "the file is extended by 4096 zeros": lambda: [EXAMPLE + bytes(4096)],
}


def rows() -> list[list[str]]:
    table = CHAPTER.split("## What survives")[1].split("###")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_each_line_is_made() -> None:
    assert [row[0] for row in rows()] == list(MADE)


def records(read: Answer) -> str:
    """Format the records of an answer as in the table."""
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
