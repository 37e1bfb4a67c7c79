"""The bulk scanner for KahaDB journals; ``reference_impl.kahadb_journal`` is authoritative.

A compiled kernel reads intact batches with checksums. The executable specification reads any other
content, up to the end of the next batch with a checksum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import Event as ReferenceEvent
from reference_impl.answer import Lost, Record
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import COMMANDS
from reference_impl.kahadb_journal.reader import Journal
from reference_impl.kahadb_journal.source import STEP, Source
from walproof.formats.kahadb_journal.scanner import kernel
from walproof.scanners import arrays
from walproof.scanners.byte_source import LocalSource
from walproof.scanners.model import WHOLE, Event, Part, ReadableLog, Wanted
from walproof.scanners.reference import ReferenceScanner
from walproof.scanners.walk import AT, RecordWalk

FORMAT = "kahadb-journal"
#: Minimum number of bytes that the executable specification reads before the kernel continues.
#: Restarting the kernel takes as long as reading several batches.
MIN_SPECIFIED_BYTES = 1 << 16


def plan(log: ReadableLog, target_bytes: int) -> Sequence[Part]:
    """Return one part for each file in a directory, or a single part if the directory is small."""
    if not log.is_folder():
        return [WHOLE]
    journal = Journal(log.readable, "recover")
    names = [path.name for _, path in journal.files]
    sizes = {name: (journal.path / name).stat().st_size for name in [*names, *journal.doubles]}
    if journal.is_refused or len(sizes) < 2 or sum(sizes.values()) <= target_bytes:
        return [WHOLE]
    last = journal.last_used()
    # In the last file with batches, an incomplete tail is torn, not damaged (KDB-049).
    states: dict[str, tuple[str | None, bool]] = {
        name: ("foreign-journal" if is_sibling else None, number >= last)
        for number, (name, is_sibling) in enumerate(zip(names, journal.siblings, strict=True))
    }
    states |= {name: ("duplicate-id", True) for name in journal.doubles}
    return [Part(0, sizes[name], name, state) for name, state in states.items()]


def scan(log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a part. Raises ``OSError``, for example if a file shrinks."""
    if part.file is None:
        yield from cast(Iterator[Event], _KahaDbJournal(log.readable, wanted).events())
        return
    path, (reason, is_last) = log.readable / part.file, part.state
    if reason is not None:
        yield Lost(0, path.stat().st_size, reason, file=part.file)
        return
    with path.open("rb") as stream:
        yield from _DataFile(stream, part.file, wanted).events(is_last)


class _KahaDbJournal(Journal):
    """The executable specification's journal reader, extended to yield records in runs."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        super().__init__(path, "recover")
        self.wanted = wanted

    def scan(self, stream: BinaryIO, name: str | None) -> Scan:
        return _DataFile(stream, name, self.wanted)


class _DataFile(Scan):
    source: _RestSource

    def __init__(self, stream: BinaryIO, name: str | None, wanted: Wanted) -> None:
        super().__init__(_RestSource(stream), name)
        self.path, self.wanted = Path(stream.name), wanted
        #: The end of the last batch with a valid checksum.
        self.proven_to: int | None = None

    def events(self, is_last: bool) -> Iterator[Any]:
        """Yield records in runs, and lost ranges, in file order."""
        self.is_last = is_last
        with closing(LocalSource(self.path)) as source:
            walk = _BatchWalk(source, self.size, self.wanted, self.name)
            walk.fill = self._fill
            while not self.has_ended:
                yield from ReferenceScanner(FORMAT).hand_over(
                    walk.runs(self.at), lambda _: self._specified(walk.state), self.wanted
                )

    def _specified(self, state: NDArray[np.int64]) -> Iterator[ReferenceEvent]:
        """Continue from the kernel's state until a valid checksum proves the preceding batch."""
        at, batch, batch_end = state[[AT, kernel.BATCH, kernel.BATCH_END]].tolist()
        state[kernel.BATCH_END] = 0
        self.at = start = batch if at < batch_end else at
        self.source.skip_to(start)
        while not (self.has_ended or self.proven_to == self.at >= start + MIN_SPECIFIED_BYTES):
            for event in self.next_batch():
                if not isinstance(event, Record) or event.at >= at:
                    yield event

    def _records(self, batch: Any) -> Iterator[Record | Lost]:
        if batch.is_checked:
            self.proven_to = batch.end
        return super()._records(batch)


class _RestSource(Source):
    """A source that avoids computing checksums of bytes that the kernel has already read."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream)
        self._rest = _ShiftedSource(stream, 0)

    def skip_to(self, at: int) -> None:
        """Prepare for calls of :meth:`adler32` with ranges that begin at or after ``at``."""
        if at > self._rest.summed_up_to:
            self._rest = _ShiftedSource(self.stream, at)

    def adler32(self, start: int, end: int) -> int:
        """See :class:`Source`. No byte is included in a checksum computation more than once."""
        if start < (shift := self._rest.shift):
            return super().adler32(start, end)
        return self._rest.adler32(start - shift, end - shift)


class _ShiftedSource(Source):
    """The part of a data file that begins at ``shift``."""

    def __init__(self, stream: BinaryIO, shift: int) -> None:
        super().__init__(stream)
        self.shift = shift

    def get(self, at: int, length: int) -> bytes:
        """See :class:`Source`."""
        return super().get(at + self.shift, length)

    @property
    def summed_up_to(self) -> int:
        """Return the offset up to which checksums are known."""
        return self.shift + STEP * (len(self._sums) - 1)


class _BatchWalk(RecordWalk):
    """A pass of the kernel over one data file, whose preallocated space begins at ``fill``."""

    smallest = kernel.RECORD_HEAD
    states = kernel.STATE
    dtypes = (np.int64, np.int32)
    fill: int

    def run_kernel(self) -> int:
        return kernel.walk(  # type: ignore[no-any-return]
            self.window.array, self.size, self.fill, self.wanted.cap, self.state, self.at,
            self.sizes, self.ends, self.cut, self.payload, *self.columns,
        )  # fmt: skip

    def fields(self, count: int) -> Mapping[str, pa.Array]:
        batches, commands = (column[:count] for column in self.columns)
        numbers = pa.array(commands, mask=commands == kernel.NO_COMMAND)
        return {
            "type": arrays.repeated(1, pa.int32(), count),
            "batch": arrays.numbers(batches),
            "command": numbers,
            "command_name": pa.array(COMMANDS).take(numbers),
        }
