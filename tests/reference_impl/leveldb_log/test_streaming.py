"""A log is read as a stream, also from pipes, files larger than memory, and files that fail."""

from __future__ import annotations

import io
import itertools
import os
import threading
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from reference_impl.answer import Answer, End, Event, Lost, Record, collect
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    HEADER,
    masked_crc,
)
from reference_impl.leveldb_log.reader import (
    read_stream as read,
)

Write = Callable[..., bytes]
Answers = Callable[..., Answer]

MIB = 1 << 20


class Generated(io.BytesIO):
    """A log of ``blocks`` equal blocks and then ``rest``, which is never completely in memory."""

    def __init__(self, block: bytes, blocks: int, rest: bytes = b"") -> None:
        super().__init__()
        self.pieces: Iterator[bytes] = itertools.chain(itertools.repeat(block, blocks), [rest])
        self.given = 0

    def read(self, size: int | None = -1) -> bytes:
        assert size is not None and 0 < size <= BLOCK_SIZE, (
            "a reader never asks for what a header claims"
        )
        piece = next(self.pieces, b"")
        self.given += len(piece)
        return piece


def fragment(record_type: int, data: bytes) -> bytes:
    return HEADER.pack(masked_crc(bytes([record_type]) + data), len(data), record_type) + data


SOUND = b"".join(fragment(1, bytes([i]) * 8185) for i in range(4))
assert len(SOUND) == BLOCK_SIZE
FLIPPED = b"\xff" + SOUND[1:]
MIDDLE_BLOCK = fragment(3, b"m" * (BLOCK_SIZE - 7))
ZEROS = bytes(BLOCK_SIZE)
UNKNOWN = fragment(77, b"u" * (BLOCK_SIZE - 7))
LYING = b"\1\2\3\4\xff\xff\1" + bytes(BLOCK_SIZE - 7)


def rich_log(write: Write) -> bytes:
    """Return a log of several blocks with records, fragments, damage, a gap and a torn tail."""
    log = bytearray(write(b"alpha", b"b" * 40_000, b"", b"c" * 70_000, b"delta"))
    log[5000] ^= 1
    log += bytes(4 * BLOCK_SIZE - len(log) + 10)
    log += write(b"e" * 30_000, b"f" * 5000, length=len(log))
    return bytes(log[:-3])


def test_a_pipe_can_be_read(write: Write, answer: Answers) -> None:
    log = rich_log(write)
    out, into = os.pipe()

    def feed() -> None:
        with os.fdopen(into, "wb", buffering=0) as pipe:
            for start in range(0, len(log), 5000):
                pipe.write(log[start : start + 5000])

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    with os.fdopen(out, "rb", buffering=0) as pipe:
        assert collect(read(pipe)) == answer(log)
    feeder.join(60)


def test_records_are_yielded_during_reading() -> None:
    log = Generated(SOUND, 2048)
    events = read(log)
    assert isinstance(next(events), Record)
    assert log.given == BLOCK_SIZE


def peak_memory(log: Generated, profile: str = "recover") -> tuple[int, list[Event], int]:
    """Read a log; return the peak memory in bytes, the last two events, and the event count."""
    last: list[Event] = []
    count = 0
    tracemalloc.start()
    try:
        for event in read(log, profile):
            count += 1
            last = [*last[-1:], event]
            del event
        return tracemalloc.get_traced_memory()[1], last, count
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("block", "rest", "verdict", "events"),
    [
        (SOUND, b"", "intact", 4 * 2048 + 1),
        (FLIPPED, b"", "damaged", 2048 + 1),
        (MIDDLE_BLOCK, b"", "damaged", 2048 + 1),
        (UNKNOWN, b"", "damaged", 2048 + 1),
        (LYING, fragment(1, b"alpha"), "damaged", 2048 + 2),
        (ZEROS, b"", "intact", 1),
        (ZEROS, fragment(1, b"alpha"), "damaged", 3),
    ],
    ids=["sound", "flipped", "orphans", "unknown", "lying-lengths", "zeros", "zeros-then-record"],
)
@pytest.mark.parametrize("profile", ["recover", "strict"])
def test_memory_is_constant_over_64_mib(
    block: bytes, rest: bytes, verdict: str, events: int, profile: str
) -> None:
    log = Generated(block, 2048, rest)
    peak, last, count = peak_memory(log, profile)
    assert log.given == 64 * MIB + len(rest)
    assert isinstance(last[-1], End) and last[-1].verdict == verdict
    # The limit covers a block, the previous records that are still in memory, and some overhead.
    assert peak < 6 * BLOCK_SIZE
    if profile == "recover":
        assert count == events
    elif verdict == "damaged":
        assert isinstance(last[0], Lost) and last[0].end == log.given
        assert count == 2


def test_memory_follows_the_largest_record() -> None:
    """Reading sixteen records of 4 MiB takes as much memory as a few records, not as the log."""
    first, last = fragment(2, b"f" * (BLOCK_SIZE - 7)), fragment(4, b"l" * (BLOCK_SIZE - 7))
    blocks = [first, *[MIDDLE_BLOCK] * 126, last]
    log = Generated(b"", 0)
    log.pieces = itertools.chain.from_iterable(itertools.repeat(blocks, 16))
    peak, end, count = peak_memory(log)
    assert (count, end[-1]) == (17, End("intact", None, 64 * MIB))
    # The limit covers the record in progress with its spare capacity, the caller's copy, and the
    # previous record.
    assert peak < 4.5 * 4 * MIB


def test_errors_of_the_file_pass_through() -> None:
    class Failing(Generated):
        def read(self, size: int | None = -1) -> bytes:
            if self.given:
                raise OSError(5, "Input/output error")
            return super().read(size)

    events = read(Failing(SOUND, 2))
    assert sum(isinstance(next(events), Record) for _ in range(4)) == 4
    with pytest.raises(OSError, match="Input/output"):
        next(events)
