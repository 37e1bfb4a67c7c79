"""The bulk scanner of ``kahadb-journal``; ``reference_impl.kahadb_journal`` is authoritative.

A compiled kernel reads intact batches with checksums. If a data file has other content, the
executable specification reads the whole file again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa

from reference_impl.answer import Event as ReferenceEvent
from reference_impl.answer import Lost
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import COMMANDS
from reference_impl.kahadb_journal.reader import Journal
from walproof.formats.kahadb_journal.scanner import kernel
from walproof.scanners import arrays
from walproof.scanners.byte_source import LocalSource
from walproof.scanners.model import WHOLE, Event, Part, ReadableLog, Wanted
from walproof.scanners.reference import ReferenceScanner
from walproof.scanners.walk import AT, RecordWalk

FORMAT = "kahadb-journal"


def plan(log: ReadableLog, target_bytes: int) -> Sequence[Part]:
    """Return one part for each file of a directory, or a single part if the directory is small."""
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
    """Yield the events of a part. Raises ``OSError``, also if a file shrinks while it is read."""
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
    """The journal reader of the executable specification, which here yields records in runs."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        super().__init__(path, "recover")
        self.wanted = wanted

    def scan(self, stream: BinaryIO, name: str | None) -> Scan:
        return _DataFile(stream, name, self.wanted)


class _DataFile(Scan):
    def __init__(self, stream: BinaryIO, name: str | None, wanted: Wanted) -> None:
        super().__init__(stream, name)
        self.path, self.wanted = Path(stream.name), wanted

    def events(self, is_last: bool) -> Iterator[Any]:
        """Yield records in runs, and lost ranges, in file order."""
        with closing(LocalSource(self.path)) as source:
            walk = _BatchWalk(source, self.size, self.wanted, self.name)
            walk.fill = self._fill

            def specified(count: int) -> Iterable[ReferenceEvent]:
                at = int(walk.state[AT])
                if at >= walk.state[kernel.BATCH_END] and self.is_fill(at):
                    self.end = at
                    return ()
                return islice(super(_DataFile, self).events(is_last), count, None)

            yield from ReferenceScanner(FORMAT).hand_over(walk.runs(0), specified, self.wanted)


class _BatchWalk(RecordWalk):
    """The kernel on one data file, whose preallocated space begins at ``fill``."""

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
