"""Damage Zeebe journals in a sweep."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from conformance.contents import by_name
from reference_impl.answer import NewRecord, Record
from reference_impl.zeebe_journal.segment import (
    Cursor,
    Descriptor,
    Parsed,
    SegmentScan,
    read_descriptor,
)
from reference_impl.zeebe_journal.writer import DESCRIPTORS
from walproof.sweep.format_sweep import FormatSweep
from walproof.sweep.history_writer import HistoryWriter


class ZeebeSweep(FormatSweep):
    """In this format, checksums cover records and descriptors."""

    appends_exactly = True
    head_bytes = max(DESCRIPTORS.values())
    # If damage sets the first frame byte of a segment to zero, the segment seems unused.
    may_end_anywhere = True

    def write_history(self, log: HistoryWriter) -> None:
        """Write full, truncated, overwritten and compacted segments. Some of them are flushed."""
        chance = log.chance
        log.name = "partition"
        size = chance.choice((250, 400, 1000))
        descriptor = chance.choice(("1", "2/1", "2/2", "2/2"))
        log.context = {"last_flushed_index": "0"}
        log.write([], max_segment_size=size, descriptor=descriptor)
        flushed = 0
        for _ in range(chance.randrange(1, 7)):
            log.append(
                [
                    NewRecord(log.payload((0, 1, 9, 40, size // 3))[: size - 110])
                    for _ in range(chance.randrange(5))
                ]
            )
            records = log.read(log.contents).records
            if not records:
                continue
            if chance.random() < 0.3:
                _truncate(log, records, flushed)
            elif chance.random() < 0.6:
                flushed = chance.randrange(flushed, int(records[-1].fields["index"]) + 1)
                log.context = {"last_flushed_index": str(flushed)}
        # Write a single record at the end, because torn writes interrupt this write.
        log.append([NewRecord(log.payload((0, 1, 9, 40))[: size - 110])])
        if chance.random() < 0.2:
            log.context = {"last_flushed_index": None}

    def stored_records(
        self, files: Mapping[str, bytes], records: Sequence[Record]
    ) -> Sequence[Record]:
        """Return also the records that a frame byte of 0 hides, which damage may reveal."""
        stored: list[Record] = []
        for record, following in zip_longest(records, records[1:]):
            stored.append(record)
            if following is None or following.file != record.file:
                stored += _truncated(files[record.file or ""], record.at + record.size)
        return stored


def _truncate(log: HistoryWriter, records: Sequence[Record], flushed: int) -> None:
    """Remove records after the flushed index, as the writer of a raft follower does (ZBJ-022).

    Only the last segment that is in use is affected, because all earlier segments are sealed.
    """
    files = dict(by_name(log.contents))
    last = max((name for name in files if files[name][0]), key=_number)
    later = [each for each in records if each.file == last and int(each.fields["index"]) > flushed]
    if not later:
        return
    record = log.chance.choice(later)
    data = bytearray(files[last])
    for at in (record.at, record.at + record.size):
        data[at : at + 1] = bytes(at < len(data))
    files[last] = bytes(data)
    kept = {name: each for name, each in files.items() if _number(name) <= _number(last)}
    index = int(record.fields["index"])
    log.put(kept, [each.payload for each in records if int(each.fields["index"]) < index])


def _number(name: str) -> int:
    return int(name.rpartition("-")[2].removesuffix(".log"))


def _truncated(data: bytes, at: int) -> Iterator[Record]:
    """Yield complete records after the end of a segment's records, ignoring their frame bytes."""
    log = io.BytesIO(data)
    descriptor = read_descriptor(log)
    assert isinstance(descriptor, Descriptor)
    scan = SegmentScan(log, len(data), descriptor, Cursor(descriptor.index), None)
    while isinstance(record := scan.parse(at), Parsed):
        yield Record(at, record.end - at, record.payload)
        at = record.end


SWEEP = ZeebeSweep()
