"""The bulk scanner for Zeebe journals; ``reference_impl.zeebe_journal`` is authoritative.

A compiled kernel reads intact records with common entry types. The executable specification reads
descriptors, and takes over for the rest of a segment at the first record of any other kind. A
journal is not split, because a segment depends on all earlier segments.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from io import BytesIO
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from reference_impl.answer import End
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.zeebe_journal.reader import (
    Journal,
    Segment,
    flushed_index,
    journal_name,
    segment_files,
)
from reference_impl.zeebe_journal.segment import Cursor, Descriptor, SegmentScan
from walproof.formats.zeebe_journal.scanner import kernel
from walproof.scanners import arrays
from walproof.scanners.byte_source import LocalSource
from walproof.scanners.model import WHOLE, Event, Part, ReadableLog, Wanted
from walproof.scanners.reference import ReferenceScanner
from walproof.scanners.walk import AT, ENDED, RecordWalk

FORMAT = "zeebe-journal"
_TYPES = pa.array(kernel.ENTRY_TYPES, pa.string())
_FAULTS = pa.array(kernel.ENTRY_FAULTS, pa.string())


def plan(log: ReadableLog, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a journal. Raises ``OSError``, and ``ValueError`` for a bad context."""
    path = log.readable
    several = path.is_dir()
    name = journal_name(path, log.context) if several else ""
    if name is None:
        yield End("refused", "ambiguous-journal", None)  # ZBJ-003
        return
    files = segment_files(path).get(name, []) if several else [path]
    flushed = flushed_index(path, name, log.context)
    yield from cast(Iterator[Event], _ZeebeJournal(files, several, flushed, wanted).events())


class _ZeebeJournal(Journal):
    """The executable specification's journal reader, extended to yield records in runs."""

    def __init__(
        self, files: Sequence[Path], several: bool, flushed: int | None, wanted: Wanted
    ) -> None:
        super().__init__(files, several, flushed)
        self.wanted = wanted

    def scan(
        self,
        segment: Segment,
        descriptor: Descriptor,
        cursor: Cursor,
        limit: int | None,
        at: int,
        any_frame_at: int | None,
    ) -> Generator[Any, None, tuple[int, str | None]]:
        with ExitStack() as files:
            source = files.enter_context(closing(LocalSource(segment.path)))
            walk = _SegmentWalk(source, segment, self.wanted, cursor, limit)
            rest = SegmentScan(BytesIO(), segment.size, descriptor, cursor, segment.file, limit)
            rest.at, rest.any_frame_at = at, any_frame_at

            def specified(_: int) -> Iterable[ReferenceEvent]:
                if at != any_frame_at:
                    rest.at = int(walk.state[AT])
                    cursor.index, cursor.asqn = walk.state[[kernel.INDEX, kernel.ASQN]].tolist()
                    if walk.why == ENDED:
                        return ()
                source.close()
                rest.log = files.enter_context(segment.path.open("rb"))
                return rest.events()

            runs = () if at == any_frame_at else walk.runs(at)
            yield from ReferenceScanner(FORMAT).hand_over(runs, specified, self.wanted)
        return rest.at, rest.fault


class _SegmentWalk(RecordWalk):
    """A pass of the kernel over one segment. ``cursor`` holds the next index and the last asqn."""

    smallest = kernel.SMALLEST_RECORD
    states = kernel.STATE
    dtypes = (np.int64, np.int64, np.uint32, np.uint64, np.int32)

    def __init__(
        self,
        source: LocalSource,
        segment: Segment,
        wanted: Wanted,
        cursor: Cursor,
        limit: int | None,
    ) -> None:
        super().__init__(source, min(source.size, segment.size), wanted, segment.file)
        self.is_after_loss = cursor.after_loss
        self.state[kernel.INDEX], self.state[kernel.ASQN] = cursor.index, cursor.asqn
        # Every index must be below LARGEST, so that the next index fits in 64 bits.
        self.state[kernel.LIMIT] = kernel.LARGEST if limit is None else limit

    def run_kernel(self) -> int:
        return kernel.walk(  # type: ignore[no-any-return]
            self.window.array, self.size, self.wanted.cap, self.state, self.at, self.sizes,
            self.ends, self.cut, self.payload, *self.columns,
        )  # fmt: skip

    def fields(self, count: int) -> Mapping[str, pa.Array]:
        index, asqn, checksum, term, entries = (column[:count] for column in self.columns)
        numbers = pa.array(entries)
        return {
            "index": arrays.numbers(index),
            "asqn": arrays.numbers(asqn),
            "checksum": arrays.numbers(checksum),
            "term": pa.array(term, mask=entries == kernel.NOT_RAFT),
            "entry_type": _TYPES.take(numbers),
            "entry_fault": _FAULTS.take(numbers),
            "after_loss": arrays.repeated(self.is_after_loss or None, pa.bool_(), count),
        }
