"""The bulk scanner of Zeebe journals; ``reference_impl.zeebe_journal`` is authoritative.

A compiled kernel reads valid records with common entry types. The executable specification reads
descriptors, all other records and the end of each segment. A journal is not split, because a
segment depends on all earlier segments.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
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
from walproof.scan.log import LocalSource, Log, open_range
from walproof.scan.model import WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.walk import AT, ENDED, Walk

FORMAT = "zeebe-journal"
#: Maximum number of events that the specification reads before the kernel continues.
MAX_SPECIFIED = 64


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a journal. Raises ``OSError``, and ``ValueError`` for a bad context."""
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
    """The journal reader of the executable specification, which here yields records in runs."""

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
                stream = cast(BinaryIO, open_range(source, 0, source.size))
                stream.seek(at)
                specified = SegmentScan(stream, segment.size, descriptor, cursor, segment.file)
                specified.at = at
                events = _Limited(specified)
                yield from self.reference.in_runs(events, self.wanted)
                if events.is_over:
                    return specified.at, specified.fault
                at = events.end


class _Limited:
    """At most ``MAX_SPECIFIED`` events of a segment; ``end`` is the offset after them."""

    def __init__(self, scan: SegmentScan) -> None:
        self.scan, self.end, self.is_over = scan, scan.at, False

    def __iter__(self) -> Iterator[Record | Lost]:
        count = 0
        for event in islice(self.scan.events(), MAX_SPECIFIED):
            count += 1
            self.end = event.at + event.size if isinstance(event, Record) else event.end
            yield event
        self.is_over = count < MAX_SPECIFIED


class _Walk(Walk):
    """The kernel on one segment. ``cursor`` has the next index and the last asqn."""

    smallest = kernel.SMALLEST_RECORD
    states = kernel.STATE
    dtypes = (np.int64, np.int64, np.uint32, np.uint64, np.int32)

    def __init__(
        self, source: LocalSource, segment: Segment, wanted: Wanted, cursor: Cursor
    ) -> None:
        super().__init__(source, min(source.size, segment.size), wanted, segment.file)
        self.cursor = cursor

    def records(self, at: int) -> Generator[Records, None, tuple[int, bool]]:
        """Yield the valid records from an offset on, up to any bytes that the kernel cannot read.

        Returns the offset after these records, and whether the segment ends there.
        """
        if self.cursor.index > kernel.LARGEST:
            return at, False
        self.state[kernel.INDEX], self.state[kernel.ASQN] = self.cursor.index, self.cursor.asqn
        yield from self.runs(at)
        self.cursor.index, self.cursor.asqn = self.state[[kernel.INDEX, kernel.ASQN]].tolist()
        return int(self.state[AT]), self.why == ENDED

    def run_kernel(self) -> int:
        return kernel.walk(  # type: ignore[no-any-return]
            self.window.array, self.size, self.wanted.cap, self.state, self.at, self.sizes,
            self.ends, self.cut, self.payload, *self.columns,
        )  # fmt: skip

    def fields(self, count: int) -> Mapping[str, pa.Array]:
        index, asqn, checksum, term, entries = (column[:count] for column in self.columns)
        first = int(entries[0])
        if (entries == first).all():  # the common case: all entries have the same type
            terms = arrays.numbers(term)
            if first == kernel.NOT_RAFT:
                terms = arrays.repeated(None, pa.uint64(), count)
            types = arrays.repeated(kernel.ENTRY_TYPES[first], pa.string(), count)
            faults = arrays.repeated(kernel.ENTRY_FAULTS[first], pa.string(), count)
        else:
            terms, numbers = pa.array(term, mask=entries == kernel.NOT_RAFT), pa.array(entries)
            types = pa.array(kernel.ENTRY_TYPES, pa.string()).take(numbers)
            faults = pa.array(kernel.ENTRY_FAULTS, pa.string()).take(numbers)
        return {
            "index": arrays.numbers(index),
            "asqn": arrays.numbers(asqn),
            "checksum": arrays.numbers(checksum),
            "term": terms,
            "entry_type": types,
            "entry_fault": faults,
        }
