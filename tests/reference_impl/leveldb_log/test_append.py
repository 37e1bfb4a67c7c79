"""Appending: to sound logs as LevelDB does, after a torn tail without losses, or refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from reference_impl import formats
from reference_impl.answer import Answer, NewRecord
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    HEADER,
    masked_crc,
)
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


@pytest.mark.parametrize("size", [0, 1, BLOCK_SIZE - 1, BLOCK_SIZE, BLOCK_SIZE + 20])
def test_the_block_offset_is_the_length_modulo_32768(write: Write, size: int) -> None:
    record = write(b"x" * 100, length=size)
    left = BLOCK_SIZE - size % BLOCK_SIZE
    assert record == (bytes(left) if left < 7 else b"") + write(b"x" * 100)


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


@pytest.mark.parametrize("zeros", [1, 6, 7, 100, BLOCK_SIZE, 3 * BLOCK_SIZE])
def test_appending_overwrites_preallocated_zeros(write: Write, zeros: int) -> None:
    log = write(b"alpha")
    assert appended(log + bytes(zeros), TAIL) == write(b"alpha", TAIL)


def test_unfinished_record_over_blocks_is_cut_off(write: Write) -> None:
    log = write(b"alpha", b"b" * 100_000)
    for length in (13, 32768, 65536, len(log) - 1):
        assert appended(log[:length], TAIL) == write(b"alpha", TAIL)


def test_appending_inside_a_trailer_continues_at_the_size(write: Write) -> None:
    log = write(bytes(BLOCK_SIZE - 7 - 5), TAIL)
    for length in range(BLOCK_SIZE - 5, BLOCK_SIZE + 1):
        assert appended(log[:length], TAIL) == log


def flipped(log: bytes, at: int) -> bytes:
    return log[:at] + bytes([log[at] ^ 1]) + log[at + 1 :]


def test_damage_in_the_last_block_is_refused_without_change(write: Write) -> None:
    log = flipped(write(b"alpha", b"bravo"), 20)
    file = io.BytesIO(log)
    with pytest.raises(ValueError, match=r"checksum-mismatch.*start a new file"):
        append(file, [TAIL])
    assert file.getvalue() == log


def test_foreign_dialect_is_refused() -> None:
    file = io.BytesIO(bytes.fromhex("2c32617b 0300 05 01000000 666f6f"))
    with pytest.raises(ValueError, match="foreign-dialect"):
        append(file, [TAIL])
    assert len(file.getvalue()) == 14


def test_damage_in_an_earlier_block_allows_appending(write: Write, answer: Answers) -> None:
    log = flipped(write(b"a" * 40_000, b"bravo"), 100)
    actual = answer(appended(log, TAIL))
    assert [r.payload for r in actual.records] == [b"bravo", TAIL]


def test_damage_in_a_full_last_block_allows_appending(write: Write, answer: Answers) -> None:
    log = flipped(write(bytes(BLOCK_SIZE - 7)), 100)
    actual = answer(appended(log, TAIL))
    assert [(r.at, r.payload) for r in actual.records] == [(BLOCK_SIZE, TAIL)]


def test_unknown_type_at_the_end_allows_appending(write: Write, answer: Answers) -> None:
    unknown = HEADER.pack(masked_crc(b"\x67new"), 3, 0x67) + b"new"
    log = write(b"alpha") + unknown
    assert answer(log).reason == "unknown-type"
    assert [r.payload for r in answer(appended(log, TAIL)).records] == [b"alpha", TAIL]


def test_an_empty_append_changes_nothing(write: Write) -> None:
    log = write(b"alpha", b"bravo")
    assert appended(log) == log
    assert appended(log[:-1]) == log[:-1]
    assert appended(b"") == b""


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
