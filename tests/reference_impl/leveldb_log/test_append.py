"""Appending continues an intact log as LevelDB does, and loses no record after a torn tail."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from reference_impl import formats
from reference_impl.answer import Answer, NewRecord
from reference_impl.leveldb_log.writer import (
    append_stream as append,
)

Write = Callable[..., bytes]
Answers = Callable[..., Answer]

TAIL = b"delta"


def appended(log: bytes, *payloads: bytes) -> bytes:
    file = io.BytesIO(log)
    append(file, payloads)
    return file.getvalue()


@pytest.mark.parametrize("first", [0, 1, 100, 32754, 32755, 32760, 32761, 32762, 2 * 32761, 70_000])
@pytest.mark.parametrize("second", [0, 1, 40_000])
def test_appending_gives_the_bytes_of_one_writer(write: Write, first: int, second: int) -> None:
    first_payload, two = b"1" * first, b"2" * second
    assert appended(write(first_payload), two) == write(first_payload, two)


@pytest.mark.parametrize("cut", range(1, 14))
def test_appending_after_a_torn_tail_loses_nothing(write: Write, answer: Answers, cut: int) -> None:
    log = write(b"alpha", b"bravo", b"charlie")
    actual = answer(appended(log[:-cut], TAIL, b"echo"))
    assert [r.payload for r in actual.records] == [b"alpha", b"bravo", TAIL, b"echo"]
    assert actual.verdict == "intact"


def test_example_of_the_chapter(write: Write, answer: Answers) -> None:
    torn = write(b"alpha", b"bravo", b"charlie")[:37]
    behind = torn + write(TAIL, length=37)
    actual = answer(behind)
    assert (len(behind), actual.verdict, actual.end) == (49, "damaged", None)
    assert [(gap.start, gap.end) for gap in actual.lost] == [(24, 49)], "delta would be lost"
    assert len(appended(torn, TAIL)) == 36


def flipped(log: bytes, at: int) -> bytes:
    return log[:at] + bytes([log[at] ^ 1]) + log[at + 1 :]


def test_format_writes_new_files_only(tmp_path: Path, write: Write) -> None:
    log = formats.named("leveldb-log")
    path = tmp_path / "000007.log"
    log.write(path, [NewRecord(b"alpha")], {})
    assert path.read_bytes() == write(b"alpha")
    with pytest.raises(FileExistsError):
        log.write(path, [NewRecord(b"other")], {})
    log.append(path, [NewRecord(b"bravo"), NewRecord(b"")], {})
    assert path.read_bytes() == write(b"alpha", b"bravo", b"")


def test_format_appends_to_existing_files_only(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        formats.named("leveldb-log").append(tmp_path / "none.log", [NewRecord(b"x")], {})
    assert not list(tmp_path.iterdir())


def test_format_leaves_a_refused_file_unchanged(tmp_path: Path, write: Write) -> None:
    path = tmp_path / "000007.log"
    damaged = flipped(write(b"alpha"), 9)
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match="new file"):
        formats.named("leveldb-log").append(path, [NewRecord(b"x")], {})
    assert path.read_bytes() == damaged
