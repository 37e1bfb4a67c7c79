"""The bulk scanner of Zeebe journals; ``reference_impl.zeebe_journal`` is authoritative.

The executable specification reads the descriptors, puts the segments together and interprets the
end of each. Only the records of a segment are read by a compiled kernel (``kernel``). At any other
record (damage, an asqn out of order, a rare entry, a record longer than a window), the
specification reads some records, and the kernel continues after them.

A journal is one part: the index and the asqn with which a segment may begin are known only after
everything before it was read.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa

from reference_impl.answer import End, Lost, Record
from reference_impl.zeebe_journal.reader import (
    Journal,
    Segment,
    flushed_index,
    journal_name,
    segment_files,
)
from reference_impl.zeebe_journal.segment import Cursor, Descriptor, SegmentScan
from walproof.formats.zeebe_journal.scanner import kernel
from walproof.scan import arrays
from walproof.scan.log import LocalSource, Log, SourceStream
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.window import passing_window

FORMAT = "zeebe-journal"
#: Events that the specification reads before the kernel continues.
MAX_SPECIFIED = 64
_DTYPES = (np.int64, np.int64, np.uint8, np.int64, np.int64, np.uint32, np.uint64, np.int32)


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a journal. ``OSError``; ``ValueError`` for its context."""
    path = log.local()
    several = path.is_dir()
    name = journal_name(path, log.context) if several else ""
    if name is None:
        yield End("refused", "ambiguous-journal", None)  # ZBJ-003
        return
    files = segment_files(path).get(name, []) if several else [path]
    flushed = flushed_index(path, name, log.context)
    yield from cast(Iterator[Event], _Journal(files, several, flushed, wanted).events())


class _Journal(Journal):
    """The executable specification, with the records of a segment in runs of columns."""

    def __init__(
        self, files: Sequence[Path], several: bool, flushed: int | None, wanted: Wanted
    ) -> None:
        super().__init__(files, several, flushed)
        self.wanted, self.reference = wanted, ReferenceScanner(FORMAT)

    def scan(
        self, segment: Segment, descriptor: Descriptor, cursor: Cursor
    ) -> Generator[Any, None, tuple[int, str | None]]:
        with closing(LocalSource(segment.path)) as source:
            walk = _Walk(source, segment, self.wanted, cursor)
            at = descriptor.length
            while True:
                at, is_over = yield from walk.records(at)
                if is_over:
                    return at, None
                stream = cast(BinaryIO, SourceStream(source, at))
                specified = SegmentScan(stream, segment.size, descriptor, cursor, segment.file)
                specified.at = at
                events = _Limited(specified)
                yield from self.reference.in_runs(events, self.wanted)
                if events.is_over:
                    return specified.at, specified.fault
                at = events.end


class _Limited:
    """The next events of a segment, which end at the offset ``end``."""

    def __init__(self, scan: SegmentScan) -> None:
        self.scan, self.end, self.is_over = scan, scan.at, False

    def __iter__(self) -> Iterator[Record | Lost]:
        count = 0
        for event in islice(self.scan.events(), MAX_SPECIFIED):
            count += 1
            self.end = event.at + event.size if isinstance(event, Record) else event.end
            yield event
        self.is_over = count < MAX_SPECIFIED


class _Walk:
    """The kernel on one segment. ``cursor`` has the next index and the last asqn."""

    def __init__(
        self, source: LocalSource, segment: Segment, wanted: Wanted, cursor: Cursor
    ) -> None:
        self.window = passing_window(source)
        self.file_size, self.file = min(source.size, segment.size), segment.file
        self.wanted, self.cursor = wanted, cursor
        self.state = np.zeros(kernel.STATE, np.int64)

    def records(self, at: int) -> Generator[Records, None, tuple[int, bool]]:
        """Yield the common valid records from an offset on.

        Returns the offset after them, and whether the segment ends there.
        """
        if self.cursor.index > kernel.LARGEST:
            return at, False
        state, window, why = self.state, self.window, kernel.FULL_UP
        state[kernel.AT], state[kernel.INDEX] = at, self.cursor.index
        state[kernel.ASQN] = self.cursor.asqn
        while why == kernel.FULL_UP:
            self._make_room()
            while True:
                state[kernel.BASE] = window.base
                why, at = self._walk(), int(state[kernel.AT])
                if why != kernel.USED_UP or (at == window.base and len(window.array)):
                    break
                window.hold(at, window.stretch)
            self.cursor.index, self.cursor.asqn = state[[kernel.INDEX, kernel.ASQN]].tolist()
            if state[kernel.ROWS]:
                yield self._run(int(state[kernel.ROWS]))
        return at, why == kernel.ENDED

    def _make_room(self) -> None:
        left = max(0, self.file_size - int(self.state[kernel.AT]))
        rows = min(MAX_ROWS, 1 + left // kernel.SMALLEST_RECORD)
        self.ends = arrays.pooled(rows + 1, np.int32)
        self.ends[0] = 0
        (
            self.at, self.size, self.cut, self.index, self.asqn, self.checksum, self.term,
            self.entries,
        ) = (arrays.pooled(rows, dtype) for dtype in _DTYPES)  # fmt: skip
        # A record that a window holds always fits.
        room = min(left, max(MAX_BYTES, self.window.stretch)) if self.wanted.cap >= 0 else 0
        self.payload = arrays.pooled(room)
        self.state[kernel.ROWS] = self.state[kernel.CUT] = 0

    def _walk(self) -> int:
        return kernel.walk(  # type: ignore[no-any-return]
            self.window.array, self.file_size, self.wanted.cap, self.state, self.at, self.size,
            self.ends, self.cut, self.index, self.asqn, self.checksum, self.term, self.entries,
            self.payload,
        )  # fmt: skip

    def _run(self, count: int) -> Records:
        """Return the first ``count`` rows."""
        payload = truncated = None
        if self.wanted.cap >= 0:
            payload = arrays.binary(self.ends[: count + 1], self.payload, pa.binary())
            truncated = self.cut[:count].astype(np.bool_) if self.state[kernel.CUT] else None
        entries, first = self.entries[:count], int(self.entries[0])
        columns = {
            "index": arrays.numbers(self.index[:count]),
            "asqn": arrays.numbers(self.asqn[:count]),
            "checksum": arrays.numbers(self.checksum[:count]),
        }
        if (entries == first).all():  # the common case: all are equal
            columns["term"] = (
                arrays.repeated(None, pa.uint64(), count)
                if first == kernel.NOT_RAFT
                else arrays.numbers(self.term[:count])
            )
            types = arrays.repeated(kernel.ENTRY_TYPES[first], pa.string(), count)
            faults = arrays.repeated(kernel.ENTRY_FAULTS[first], pa.string(), count)
        else:
            columns["term"] = pa.array(self.term[:count], mask=entries == kernel.NOT_RAFT)
            numbers = pa.array(entries)
            types = pa.array(kernel.ENTRY_TYPES, pa.string()).take(numbers)
            faults = pa.array(kernel.ENTRY_FAULTS, pa.string()).take(numbers)
        columns |= {"entry_type": types, "entry_fault": faults}
        wanted = {name: array for name, array in columns.items() if self.wanted.wants(name)}
        return Records(self.at[:count], self.size[:count], payload, wanted, self.file, truncated)
