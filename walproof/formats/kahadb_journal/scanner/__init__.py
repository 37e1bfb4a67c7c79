"""The bulk scanner of ``kahadb-journal``; ``reference_impl.kahadb_journal`` is authoritative.

A compiled kernel reads valid batches. If a data file has other content, the executable
specification reads the whole file again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa

from reference_impl.answer import Lost
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import COMMANDS
from reference_impl.kahadb_journal.reader import Journal
from walproof.formats.kahadb_journal.scanner import kernel
from walproof.scan import arrays
from walproof.scan.log import LocalSource, Log
from walproof.scan.model import WHOLE, Event, Part, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.walk import AT, Walk

FORMAT = "kahadb-journal"
#: Size of the largest batch that is buffered. The specification reads files with larger batches.
MAX_HELD_BYTES = 32 << 20


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part for each file of a directory, or a single part if the directory is small."""
    if not log.is_folder():
        return [WHOLE]
    journal = Journal(log.local(), "recover")
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


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a part. Raises ``OSError``, also if a file shrinks while it is read."""
    if part.file is None:
        yield from cast(Iterator[Event], _Journal(log.local(), wanted).events())
        return
    path, (reason, is_last) = log.local() / part.file, part.state
    if reason is not None:
        yield Lost(0, path.stat().st_size, reason, file=part.file)
        return
    with path.open("rb") as stream:
        yield from _Scan(stream, part.file, wanted).events(is_last)


class _Journal(Journal):
    """The journal reader of the executable specification, which here yields records in runs."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        super().__init__(path, "recover")
        self.wanted = wanted

    def scan(self, stream: BinaryIO, name: str | None) -> Scan:
        return _Scan(stream, name, self.wanted)


class _Scan(Scan):
    def __init__(self, stream: BinaryIO, name: str | None, wanted: Wanted) -> None:
        super().__init__(stream, name)
        self.path, self.wanted = Path(stream.name), wanted

    def events(self, is_last: bool) -> Iterator[Any]:
        """Yield records in runs, and lost ranges, in file order."""
        passed = 0
        with closing(LocalSource(self.path)) as source:
            walk = _Walk(source, self.size, self.wanted, self.name)
            walk.fill = self._fill
            for run in walk.runs(0):
                passed += len(run)
                yield run
        at = int(walk.state[AT])
        if at >= walk.state[kernel.BATCH_END] and self.is_fill(at):
            self.end = at
            return
        events = islice(super().events(is_last), passed, None)
        yield from ReferenceScanner(FORMAT).in_runs(events, self.wanted)


class _Walk(Walk):
    """The kernel on one data file, whose preallocated space begins at ``fill``."""

    smallest = kernel.RECORD_HEAD
    max_held_bytes = MAX_HELD_BYTES
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
        first = int(commands[0])
        if (commands == first).all():  # the common case: all commands are equal
            known = None if first == kernel.NO_COMMAND else first
            name = None if known is None else COMMANDS[known]
            numbers = arrays.repeated(known, pa.int32(), count)
            names = arrays.repeated(name, pa.string(), count)
        else:
            numbers = pa.array(commands, mask=commands == kernel.NO_COMMAND)
            names = pa.array(COMMANDS).take(numbers)
        return {
            "type": arrays.repeated(1, pa.int32(), count),
            "batch": arrays.numbers(batches),
            "command": numbers,
            "command_name": names,
        }
