"""Damage LevelDB logs in a sweep."""

from __future__ import annotations

import math
from collections.abc import Sequence

from conformance.contents import Contents, by_name
from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.leveldb_log.layout import BLOCK_SIZE, FIRST, HEADER_SIZE, MIDDLE
from walproof.sweep.format_sweep import FormatSweep, LogState, Span
from walproof.sweep.history_writer import HistoryWriter


class LevelDBSweep(FormatSweep):
    """In this format, each fragment has a separate checksum."""

    appends_exactly = True

    def may_join(self, record: Record) -> bool:
        """Return True for several fragments: nothing in a header ties a fragment to its record."""
        return record.size > HEADER_SIZE + len(record.payload)

    def covers(self, data: bytes, spans: Sequence[Span]) -> bool:
        """Return whether only framing is left: trailers, zeros, empty open records (LDB-033)."""
        at = 0
        for start, end in (*spans, (len(data), len(data))):
            if at < start and not _is_framing(data, at, start):
                return False
            at = max(at, end)
        return True

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """Return True after an unfinished write: the writer may begin a new file."""
        return before.verdict == "torn" or _ends_in_zeros(contents, before)

    def reach(self, control: LogState, file: str, start: int, end: float) -> tuple[int, float]:
        """Damage destroys the rest of the block and each record with a fragment there (LDB-028)."""
        return start, block_end(end)

    def tears_look_damaged(self, control: LogState, answer: Answer) -> bool:
        """Return True: the checksum of partly written data is wrong (LDB-028)."""
        return True

    def write_history(self, log: HistoryWriter) -> None:
        """Write records that end at or cross the end of a block.

        A crash may truncate the last record.
        """
        log.name = "000003.log"
        log.write([])
        for _ in range(log.chance.randrange(1, 6)):
            # A record of this size ends shortly before or after the end of the block.
            left = BLOCK_SIZE - len(log.states[-1]) % BLOCK_SIZE - 2 * HEADER_SIZE
            fills = max(0, left - log.chance.randrange(-9, 9))
            size = log.chance.choice((0, 0, 5, fills, fills + log.chance.randrange(99)))
            log.append([NewRecord(log.payload((size,))), *log.records(3)])
            if log.chance.random() < 0.2:
                log.crash()
                log.append(log.records(3))
        # Add zeros only to an intact log, because zeros after part of a header are damage.
        if log.chance.random() < 0.2 and log.read(log.contents).verdict == "intact":
            fill = bytes(log.chance.choice((1, 6, 7, 512, BLOCK_SIZE)))
            log.put(b"".join(by_name(log.contents).values()) + fill)


def block_end(end: float) -> float:
    """Return the end of the block that contains the last byte before ``end``."""
    return end if end == math.inf else -(-int(end) // BLOCK_SIZE) * BLOCK_SIZE


SWEEP = LevelDBSweep()


def _ends_in_zeros(contents: Contents, before: Answer) -> bool:
    """Return whether the log ends in preallocated space without records (LDB-017)."""
    assert isinstance(contents, bytes)
    return before.end is not None and before.end < len(contents)


def _is_framing(data: bytes, at: int, end: int) -> bool:
    is_open = False
    while at < end:
        left = BLOCK_SIZE - at % BLOCK_SIZE
        if left < HEADER_SIZE:
            at += left
            continue
        if not any(data[at:end]):
            return True
        header = data[at + 4 : at + HEADER_SIZE]
        # A writer may have added empty MIDDLE fragments to an open record before it gave up the
        # record.
        if header != bytes((0, 0, FIRST)) and not (is_open and header == bytes((0, 0, MIDDLE))):
            return False
        is_open = True
        at += HEADER_SIZE
    return True
