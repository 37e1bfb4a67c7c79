"""The bulk scanner of ``kahadb-journal``; ``reference_impl.kahadb_journal`` is authoritative.

The executable specification puts the data files together. A compiled kernel (``kernel``) reads the
valid batches of a file window by window. At anything else, the specification reads the file again,
and the records before are skipped: a data file is small (32 MiB by default), and few files are
damaged.

A directory is split by file. A single file is one part: the offset of a batch depends on everything
in front of it, because the scan may continue after a damaged batch at an offset that its size does
not give (KDB-045, KDB-047).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.window import passing_window

FORMAT = "kahadb-journal"
#: Largest batch that is buffered. The specification reads a file with a larger one.
MAX_HELD_BYTES = 32 << 20
COMMAND_NAMES = pa.array(COMMANDS)


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
    # Only in the last file with batches a tail is torn and not damaged (KDB-049).
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
    """The executable specification, with the records of a data file in runs of columns."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        super().__init__(path, "recover")
        self.wanted = wanted

    def scan(self, stream: BinaryIO, name: str | None) -> Scan:
        return _Scan(stream, name, self.wanted)


class _Scan(Scan):
    """A pass over a data file."""

    def __init__(self, stream: BinaryIO, name: str | None, wanted: Wanted) -> None:
        super().__init__(stream, name)
        self.path, self.wanted = Path(stream.name), wanted
        self.state = np.zeros(kernel.WALK_STATE, np.int64)

    def events(self, is_last: bool) -> Iterator[Any]:
        """Yield records in runs, and lost ranges, in file order."""
        passed = 0
        with closing(LocalSource(self.path)) as source:
            for run in self._plain(source):
                passed += len(run)
                yield run
        at = int(self.state[kernel.AT])
        if at >= self.state[kernel.BATCH_END] and self.is_fill(at):
            self.end = at
            return
        events = islice(super().events(is_last), passed, None)
        yield from ReferenceScanner(FORMAT).in_runs(events, self.wanted)

    def _plain(self, source: LocalSource) -> Iterator[Records]:
        """Yield the records of valid batches, up to anything else."""
        state, window, why = self.state, passing_window(source), kernel.ROWS_FULL
        while why == kernel.ROWS_FULL:
            self._make_room()
            while True:
                state[kernel.BASE] = window.base
                why = kernel.walk(
                    window.array, self.size, self._fill, self.wanted.cap, MAX_BYTES, self.ats,
                    self.sizes, self.batches, self.commands, self.offsets, self.room, state,
                )  # fmt: skip
                need = int(state[kernel.NEED])
                if why != kernel.NEEDS_BYTES or need > MAX_HELD_BYTES:
                    break
                window.hold(int(state[kernel.AT]), need)
            if count := int(state[kernel.COUNT]):
                yield self._run(count)

    def _make_room(self) -> None:
        """Allocate arrays for a run; its first payload has ``NEED`` bytes, if known."""
        left, needed = max(0, self.size - int(self.state[kernel.AT])), int(self.state[kernel.NEED])
        rows = min(MAX_ROWS, 1 + left // kernel.RECORD_HEAD)
        self.ats, self.sizes, self.batches = (arrays.pooled(rows, np.int64) for _ in range(3))
        self.commands = arrays.pooled(rows, np.int32)
        self.offsets = arrays.pooled(rows + 1, np.int32)
        self.offsets[0] = 0
        self.room = arrays.pooled(max(needed, min(MAX_BYTES, left)) if self.wanted.cap >= 0 else 0)
        self.state[kernel.COUNT] = self.state[kernel.CUT] = 0

    def _run(self, count: int) -> Records:
        """Return the first ``count`` rows."""
        cap, size, payload, truncated = self.wanted.cap, self.sizes[:count], None, None
        if cap >= 0:
            payload = arrays.binary(self.offsets[: count + 1], self.room, pa.binary())
            truncated = size - kernel.RECORD_HEAD > cap if self.state[kernel.CUT] else None
        commands = self.commands[:count]
        first = int(commands[0])
        if (commands == first).all():  # the common case: all are equal
            known = None if first == kernel.NO_COMMAND else first
            name = None if known is None else COMMANDS[known]
            numbers = arrays.repeated(known, pa.int32(), count)
            names = arrays.repeated(name, pa.string(), count)
        else:
            numbers = pa.array(commands, mask=commands == kernel.NO_COMMAND)
            names = COMMAND_NAMES.take(numbers)
        fields = {
            "type": arrays.repeated(1, pa.int32(), count),
            "batch": arrays.numbers(self.batches[:count]),
            "command": numbers,
            "command_name": names,
        }
        wanted = {name: column for name, column in fields.items() if self.wanted.wants(name)}
        return Records(self.ats[:count], size, payload, wanted, self.name, truncated)
