"""Readers follow each line of the chapter's table "What survives", and the other rules."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from reference_impl.answer import Answer
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    HEADER,
    masked_crc,
)

CHAPTER = Path(__file__).parents[3] / "spec" / "leveldb-log.md"

Write = Callable[..., bytes]
Answers = Callable[..., Answer]
Logs = Iterable[bytes]

RECORDS = {"alpha": b"alpha", "bravo": b"bravo", "D": b"d" * 40_000, "charlie": b"charlie"}
BRAVO, FIRST_PART, SECOND_PART, CHARLIE, SIZE = 12, 24, 32768, 40038, 40052


def physical(record_type: int, data: bytes) -> bytes:
    return HEADER.pack(masked_crc(bytes([record_type]) + data), len(data), record_type) + data


def replaced(log: bytes, at: int, new: bytes) -> bytes:
    return log[:at] + new + log[at + len(new) :]


def flipped(log: bytes, positions: Iterable[int]) -> Logs:
    """Yield copies of the log, each with a flipped bit in one of these bytes."""
    for at in positions:
        yield replaced(log, at, bytes([log[at] ^ 1 << at % 8]))


def with_length(log: bytes, at: int, length: int) -> Logs:
    yield replaced(log, at + 4, length.to_bytes(2, "little"))


def retyped(log: bytes, types: Iterable[int]) -> Logs:
    """Yield copies of the log in which Bravo has another type and a valid checksum."""
    for new_type in types:
        yield replaced(log, BRAVO, physical(new_type, b"bravo"))


def outside_length(at: int, end: int) -> list[int]:
    """Return the offsets of a record's checksum and type, and of some of its data."""
    return [*range(at, at + 4), at + 6, *range(at + 7, end, max(1, (end - at) // 5))]


DAMAGE: dict[str, Callable[[bytes], Logs]] = {
    "none": lambda log: [log],
    "any bit of bravo's checksum, type or data": lambda log: flipped(
        log, outside_length(BRAVO, FIRST_PART)
    ),
    "bravo's length becomes 4": lambda log: with_length(log, BRAVO, 4),
    "bravo's length becomes 65535": lambda log: with_length(log, BRAVO, 65535),
    "bravo's header becomes zeros": lambda log: [replaced(log, BRAVO, bytes(7))],
    "bravo gets type 103, 0, 5 or 6 and the right checksum": lambda log: retyped(
        log, (103, 0, 5, 6)
    ),
    "bravo becomes a MIDDLE or LAST, right checksum": lambda log: retyped(log, (3, 4)),
    "bravo becomes a FIRST, right checksum": lambda log: retyped(log, (2,)),
    "a bit of the data in D's first part": lambda log: flipped(
        log, range(FIRST_PART + 7, SECOND_PART, 5000)
    ),
    "a bit of the data in D's second part": lambda log: flipped(
        log, range(SECOND_PART + 7, CHARLIE, 1000)
    ),
    "any bit of charlie's checksum, type or data": lambda log: flipped(
        log, outside_length(CHARLIE, SIZE)
    ),
    "charlie's length becomes 65535": lambda log: with_length(log, CHARLIE, 65535),
    "charlie's length becomes 263": lambda log: with_length(log, CHARLIE, 263),
    "block 0 becomes zeros": lambda log: [replaced(log, 0, bytes(BLOCK_SIZE))],
    "the first sector (512 bytes) becomes zeros": lambda log: [replaced(log, 0, bytes(512))],
    "block 0 is dropped": lambda log: [log[BLOCK_SIZE:]],
    "block 0 occurs twice": lambda log: [log[:BLOCK_SIZE] + log],
    "block 1 becomes zeros": lambda log: [replaced(log, BLOCK_SIZE, bytes(SIZE - BLOCK_SIZE))],
    "extended by 4096 zeros, or by 3": lambda log: [log + bytes(4096), log + bytes(3)],
    "extended by 20 bytes `ff`": lambda log: [log + b"\xff" * 20],
    "extended by the 20 bytes `01` to `14`": lambda log: [log + bytes(range(1, 21))],
}


def damaged(log: bytes, change: str) -> list[bytes]:
    if cut := re.fullmatch(r"cut at (\d+)(?: or (\d+))?", change):
        return [log[: int(length)] for length in cut.groups() if length]
    return list(DAMAGE[change](log))


def survivor_table() -> list[tuple[str, str, str, str, str]]:
    section = CHAPTER.read_text().split("### What survives\n")[1]
    table = section.split("answers in the profile `recover`:\n\n")[1].split("\n\n")[0]
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines()
    ]
    assert len(rows) >= len(DAMAGE) + 2
    return rows[2:]  # type: ignore[return-value]


def expected_payloads(cell: str) -> list[bytes]:
    """Return the payloads that a table cell names, such as ``alpha, charlie, `at` 7270``."""
    names = list(RECORDS) if cell == "all" else re.findall(r"\b(?:alpha|bravo|D|charlie)\b", cell)
    return [RECORDS[name] for name in names]


@pytest.fixture
def example(write: Write) -> bytes:
    log = write(*RECORDS.values())
    assert hashlib.sha256(log).hexdigest() == (
        "ae6e6475c1ee599889afc826d96d829cbfd720be84b8a25bd369335372bf1733"
    )
    return log


@pytest.mark.parametrize("row", survivor_table(), ids=lambda row: row[0])
def test_survivors_table(answer: Answers, example: bytes, row: tuple[str, ...]) -> None:
    change, records, verdict, lost, end = row
    if records == "the same":
        # This cell refers to the previous line of the table.
        above = survivor_table()[[line[0] for line in survivor_table()].index(change) - 1]
        records, verdict, lost = above[1:4]
    for log in damaged(example, change):
        actual = answer(log)
        assert [record.payload for record in actual.records] == expected_payloads(records)
        if at := re.search(r"`at` (\d+)", records):
            assert actual.records[0].at == int(at[1])
        want = re.fullmatch(r"(\w+)(?:, `([a-z-]+)`)?", verdict)
        assert want is not None
        assert (actual.verdict, actual.reason) == (want[1], want[2])
        if lost == "from 40038 to the end":
            assert [(gap.start, gap.end) for gap in actual.lost] == [(CHARLIE, len(log))]
        else:
            assert [(str(g.start), str(g.end), g.reason) for g in actual.lost] == re.findall(
                r"`\[(\d+), (\d+)\)` `([a-z-]+)`", lost
            )
        assert actual.end == (None if end == "null" else int(end))


def test_first_records_of_the_chapter_are_refused(answer: Answers) -> None:
    table = CHAPTER.read_text().split("a reader refuses it:\n\n")[1].split("\n\n")[0]
    rows = re.findall(r"\| `([0-9a-f ]+)` \|$", table, re.MULTILINE)
    assert len(rows) == 7
    for row in rows:
        assert answer(bytes.fromhex(row)).verdict == "refused", row
