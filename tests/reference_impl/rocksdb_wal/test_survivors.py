"""Readers follow each line of the chapter's table "What survives"."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.layout import pack
from reference_impl.rocksdb_wal.reader import read_stream
from reference_impl.rocksdb_wal.writer import Writer

CHAPTER = (Path(__file__).parents[3] / "spec" / "rocksdb-wal.md").read_text("utf-8")
RECORDS = {"alpha": b"alpha", "bravo": b"bravo", "D": b"d" * 40_000, "charlie": b"charlie"}
NUMBER, OLDER = 12, 8
BRAVO, CHARLIE, END = 16, 40054, 40072


def new_log() -> bytes:
    return b"".join(Writer(NUMBER, {}).pieces([NewRecord(each) for each in RECORDS.values()]))


def older(size: int) -> bytes:
    return pack("recyclable", 1, b"o" * (size - 11), OLDER)


def recycled(left: bytes) -> bytes:
    """Return a log, followed by the older content of its last block and two older blocks."""
    return new_log() + left + older(BLOCK_SIZE) * 2


IN_STEP = recycled(older(2 * BLOCK_SIZE - END))
OUT_OF_STEP = recycled(b"o" * (2 * BLOCK_SIZE - END))


def flipped(log: bytes, at: int) -> bytes:
    return log[:at] + bytes([log[at] ^ 1]) + log[at + 1 :]


DAMAGE: dict[str, Callable[[], bytes]] = {
    "none": lambda: OUT_OF_STEP,
    "none, and log 8 has a record at 40072": lambda: IN_STEP,
    "a bit of bravo": lambda: flipped(OUT_OF_STEP, BRAVO + 12),
    "a bit of the log number of bravo": lambda: flipped(OUT_OF_STEP, BRAVO + 7),
    "a bit of charlie": lambda: flipped(OUT_OF_STEP, CHARLIE + 12),
    "block 0 was never written": lambda: older(BLOCK_SIZE) + OUT_OF_STEP[BLOCK_SIZE:],
    "the file ends at 40072, a bit of charlie": lambda: flipped(new_log(), CHARLIE + 12),
    "the file ends at 40060": lambda: new_log()[:40060],
}


def rows() -> list[list[str]]:
    table = CHAPTER.split("### What survives", 1)[1].split("###", 1)[0]
    lines = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def answer(log: bytes) -> Answer:
    return collect(read_stream(io.BytesIO(log), "recover", NUMBER))


@pytest.mark.parametrize("row", rows(), ids=lambda row: row[0])
def test_a_line_of_the_table(row: list[str]) -> None:
    damage, records, verdict, lost, end = row
    found = answer(DAMAGE[damage]())
    names = list(RECORDS) if records == "all" else records.split(", ")
    assert [record.payload for record in found.records] == [RECORDS[name] for name in names]
    stated = re.findall(r"\w[\w-]*", verdict)
    assert [found.verdict, *([found.reason] if found.reason else [])] == stated
    ranges = re.findall(r"\[(\d+), (\d+)\)`(?: `([\w-]+)`)?", lost)
    expected = [(int(at), int(to), code or str(found.reason)) for at, to, code in ranges]
    if "and the tail" in lost:
        expected.append((END, 2 * BLOCK_SIZE, "torn-tail"))
    assert [(one.start, one.end, one.reason) for one in found.lost] == expected
    assert str(found.end) == end.replace("null", "None")


def test_every_line_is_made() -> None:
    assert {row[0] for row in rows()} == set(DAMAGE)
