"""Damage Prometheus write-ahead logs in a sweep."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from conformance.contents import Contents, by_name
from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.prometheus_wal.compression import Decoder
from reference_impl.prometheus_wal.layout import (
    CHECKPOINT,
    HEADER_SIZE,
    PAGE_SIZE,
    SNAPPY,
    ZSTD,
    number_of,
    segment_name,
)
from reference_impl.prometheus_wal.segment import SECTOR
from reference_impl.zstd_frame import BadCompression, TooLarge
from walproof.sweep.format_sweep import FormatSweep, LogState, Span
from walproof.sweep.history_writer import HistoryWriter


class PrometheusSweep(FormatSweep):
    """In this format, the checksum of a frame covers its data, but not its type and length."""

    appends_exactly = True
    # A log without its last segments is a shorter intact log. So is a log with zeros from one frame
    # to the end.
    may_end_anywhere = True
    # If two bits flip, a LAST fragment may become a FULL one (see the limits in the chapter).
    pairs_tell = False
    atom = SECTOR

    def may_join(self, record: Record) -> bool:
        """Return True for several fragments: nothing connects a FIRST fragment with its LAST."""
        return record.at // PAGE_SIZE != (record.at + record.size - 1) // PAGE_SIZE

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Return True for part of a record, because no checksum covers fragment types."""
        return any(payload and payload in each for each in written)

    def is_undetected(self, payload: bytes, written: Collection[bytes]) -> bool:
        """No checksum covers the header: a flag may be cleared, or set on data that is a block.

        The checksum of empty data is 0, so a changed length or type may produce an empty record.
        """
        return not payload or any(
            _decoded(payload, flag) in written
            or any(_decoded(each, flag) == payload for each in written)
            for flag in (SNAPPY, ZSTD)
        )

    def tears_look_damaged(self, control: LogState, answer: Answer) -> bool:
        """Return True: nothing is synced, so a sector may be missing before others (PRW-040)."""
        return True

    def covers(self, data: bytes, spans: Sequence[Span]) -> bool:
        """Return whether only padding is left."""
        at = 0
        for start, end in (*spans, (len(data), len(data))):
            if any(data[at:start]):
                return False
            at = max(at, end)
        return True

    def may_refuse(self, before: Answer, contents: Contents) -> bool:
        """Return True for a single file, because Prometheus writes only folders."""
        return isinstance(contents, bytes)

    def reach(self, control: LogState, file: str, start: int, end: float) -> tuple[int, float]:
        """Damage destroys the rest of the page (PRW-025), and each record with a fragment there."""
        return start, end if end == math.inf else -(-int(end) // PAGE_SIZE) * PAGE_SIZE

    def write_history(self, log: HistoryWriter) -> None:
        """Write records that end at or cross the end of a page, checkpoints, and crashes."""
        chance = log.chance
        is_folder = chance.random() < 0.6
        log.name = "wal" if is_folder else "00000000"
        choices = {
            "segment_size": chance.choice((1, 2)) * PAGE_SIZE,
            "compression": chance.choice(("none", "none", "snappy", "zstd")),
        }
        log.write(_records(log), folder=is_folder, **choices)
        for _ in range(chance.randrange(1, 5)):
            newest = list(by_name(log.contents).values())[-1]
            left = PAGE_SIZE - len(newest) % PAGE_SIZE - 2 * HEADER_SIZE
            fills = max(0, left - chance.randrange(-9, 9))
            size = chance.choice((5, fills, fills + chance.randrange(99), PAGE_SIZE + 9))
            log.append([NewRecord(log.payload((size,))), *_records(log)], **choices)
            if chance.random() < 0.2:
                log.crash()
            if is_folder and chance.random() < 0.2:
                _checkpoint(log)
        # Pad the last page, because Prometheus does so when it closes a log.
        if not is_folder and log.read(log.contents).verdict == "intact" and chance.random() < 0.3:
            data = by_name(log.contents)[""]
            log.put(data + bytes(-len(data) % PAGE_SIZE))


def _decoded(data: bytes, flag: int) -> bytes | None:
    """Return the payload of compressed data, None if the data is invalid."""
    try:
        return Decoder().decode(data, flag, len(data))
    except (BadCompression, TooLarge):
        return None


def _records(log: HistoryWriter) -> list[NewRecord]:
    """Return a few non-empty records. An empty record before zeros may be lost (PRW-041)."""
    return [NewRecord(log.payload((1, 3, 20, 200, 900))) for _ in range(log.chance.randrange(1, 5))]


def _checkpoint(log: HistoryWriter) -> None:
    """Move the first segments to a checkpoint, if there are enough segments and no checkpoint."""
    files = by_name(log.contents)
    names = sorted(files, key=lambda name: number_of(name) or 0)
    if len(names) < 3 or any("/" in name for name in names):
        return
    if log.read(log.contents).verdict != "intact":
        return
    count = log.chance.randrange(1, len(names) - 1)
    folder = f"{CHECKPOINT}{segment_name(number_of(names[count - 1]) or 0)}"
    moved = {f"{folder}/{segment_name(n)}": files[name] for n, name in enumerate(names[:count])}
    log.put({**moved, **{name: files[name] for name in names[count:]}}, log.payloads)


SWEEP = PrometheusSweep()
