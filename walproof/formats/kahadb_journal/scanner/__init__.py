"""The bulk scanner of ``kahadb-journal``; ``reference_impl.kahadb_journal`` is authoritative.

A compiled kernel (``kernel``) reads valid batches window by window. At anything else, the reference
reads the file again, and the records before are skipped: a data file is small (32 MiB by default),
and few files are damaged. For valid batches, the scanner shares no code with the reference, except
for the meaning of data file names and of sibling file headers (``layout``).

A directory is split by file. The plan holds all state shared between files:

* which files are data files, and which are a second spelling of one (KDB-004);
* which file is the last one with batches: only there a tail is torn and not damaged (KDB-049);
* whether all files belong to a sibling format, so that the log is a single part and is refused
  (KDB-055).

A single file is one part. The offset of a batch depends on everything in front of it, because the
scan may continue after a damaged batch at an offset that its size does not give (KDB-045, KDB-047).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End, Lost
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import (
    COMMANDS,
    EOF_RECORD,
    data_files,
    file_id,
    sibling,
)
from walproof.formats.kahadb_journal.scanner import kernel
from walproof.scan import arrays
from walproof.scan.log import LocalSource, Log, Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner
from walproof.scan.window import WINDOW_BYTES, passing_window

FORMAT = "kahadb-journal"
#: Largest batch that is buffered. The reference reads a file with a larger one.
MAX_HELD_BYTES = 32 << 20
FIRST_FILE = "db-1.log"
DATA, FOREIGN, DUPLICATE = "data", "foreign-journal", "duplicate-id"
COMMAND_NAMES = pa.array(COMMANDS)

#: Events of one file; the generator returns the offset of the next batch (KDB-051).
Found = Generator[Records | Lost, None, int | None]


@dataclass(frozen=True)
class _Folder:
    """The non-empty files of a directory in log order, with their roles."""

    path: Path
    files: tuple[tuple[str, str], ...]

    @property
    def is_refused(self) -> bool:
        """Return whether all data files belong to a sibling format (KDB-055)."""
        roles = {role for _, role in self.files if role != DUPLICATE}
        return roles == {FOREIGN}

    def has_a_double(self, name: str) -> bool:
        """Return whether another file has the number of a data file (KDB-004)."""
        doubles = (other for other, role in self.files if role == DUPLICATE)
        return file_id(name) in map(file_id, doubles)

    def last_used(self) -> str | None:
        """Return the last data file with more than preallocated space (KDB-049), else the first."""
        names = [name for name, role in self.files if role != DUPLICATE]
        for name in reversed(names[1:]):
            source = LocalSource(self.path / name)
            try:
                if fill_start(source):
                    return name
            finally:
                source.close()
        return names[0] if names else None


def _folder(path: Path) -> _Folder:
    names, doubles = data_files(path)
    files = []
    for name in names:
        with (path / name).open("rb") as file:
            head = file.read(32)
        files.append((name, FOREIGN if sibling(head) is not None else DATA))
    files += [(name, DUPLICATE) for name in doubles]
    return _Folder(path, tuple(files))


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part for each file of a directory, or a single part if the directory is small."""
    if not log.is_folder():
        return [WHOLE]
    folder = _folder(log.local())
    sizes = [(folder.path / name).stat().st_size for name, _ in folder.files]
    if folder.is_refused or len(sizes) < 2 or sum(sizes) <= target_bytes:
        return [WHOLE]
    last, is_last = folder.last_used(), False
    parts = []
    for (name, role), size in zip(folder.files, sizes, strict=True):
        is_last |= name == last
        parts.append(Part(0, size, name, (role, is_last)))
    return parts


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a part. Raises ``OSError``, also if a file shrinks while it is read."""
    if part.file is not None:
        role, is_last = part.state
        yield from _file(log.local() / part.file, wanted, part.file, role, is_last)
    elif log.is_folder():
        yield from _whole_folder(_folder(log.local()), wanted)
    else:
        with closing(log.open()) as source:
            if sibling(source.read(0, 32)) is not None:
                yield End("refused", FOREIGN, None)
                return
            verdict = _Verdict()
            file = _DataFile(source, log.local, wanted, None, True)
            end = yield from verdict.of(file.events())
            yield verdict.end(end, None)


def _whole_folder(folder: _Folder, wanted: Wanted) -> Iterator[Event]:
    if folder.is_refused:
        yield End("refused", FOREIGN, None)
        return
    last, is_after = folder.last_used(), False
    verdict = _Verdict()
    end: int | None = 0
    end_file = FIRST_FILE
    for name, role in folder.files:
        is_last = is_after or name == last
        next_at = yield from verdict.of(_file(folder.path / name, wanted, name, role, is_last))
        if role != DUPLICATE and not is_after:
            end, end_file, is_after = next_at, name, is_last
    if end == 0 and folder.has_a_double(end_file):
        end = None  # if truncated there, the other file would be read instead (KDB-051)
    yield verdict.end(end, end_file)


class _Verdict:
    """The state that decides the verdict: the losses so far (KDB-050)."""

    def __init__(self) -> None:
        self.damage: str | None = None
        self.torn: str | None = None

    def of(self, events: Found) -> Found:
        """Yield the events unchanged and record their losses."""
        while True:
            try:
                event = next(events)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            if isinstance(event, Lost):
                if event.torn:
                    self.torn = self.torn or event.reason
                else:
                    self.damage = self.damage or event.reason
            yield event

    def end(self, at: int | None, file: str | None) -> End:
        """Return the last event."""
        verdict = "damaged" if self.damage else "torn" if self.torn else "intact"
        reason = self.damage or self.torn
        return End(verdict, reason, at, file if at is not None else None)  # type: ignore[arg-type]


def _file(path: Path, wanted: Wanted, name: str, role: str, is_last: bool) -> Found:
    with closing(LocalSource(path)) as source:
        if role == DATA:
            file = _DataFile(source, lambda: path, wanted, name, is_last)
            return (yield from file.events())
        yield Lost(0, source.size, role, file=name)
        return None


class _DataFile:
    """A single pass over a data file. ``local`` returns the path of the file, or of a copy."""

    def __init__(
        self,
        source: Source,
        local: Callable[[], Path],
        wanted: Wanted,
        name: str | None,
        is_last: bool,
    ) -> None:
        self.source = source
        self.local = local
        self.wanted = wanted
        self.cap = wanted.cap
        self.name = name
        self.is_last = is_last
        self.window = passing_window(source)
        self.fill = fill_start(source)
        self.state = np.zeros(kernel.WALK_STATE, np.int64)
        self._make_room(0)

    def _make_room(self, needed: int) -> None:
        """Allocate arrays for a run; its first payload has ``needed`` bytes, if known."""
        left = max(0, self.source.size - int(self.state[kernel.AT]))
        rows = min(MAX_ROWS, 1 + left // kernel.RECORD_HEAD)
        self.at, self.size, self.batch = (arrays.pooled(rows, np.int64) for _ in range(3))
        self.command = arrays.pooled(rows, np.int32)
        self.offsets = arrays.pooled(rows + 1, np.int32)
        self.offsets[0] = 0
        length = max(needed, min(MAX_BYTES, left)) if self.cap >= 0 else 0
        self.room = arrays.pooled(length)
        self.state[kernel.COUNT] = self.state[kernel.CUT] = 0

    def events(self) -> Found:
        """Yield records and lost ranges in file order."""
        state = self.state
        passed = 0
        while True:
            state[kernel.BASE] = self.window.base
            why = self._walk()
            at, need = int(state[kernel.AT]), int(state[kernel.NEED])
            if why == kernel.NEEDS_BYTES and need <= MAX_HELD_BYTES:
                self.window.hold(at, need)
                continue
            if count := int(state[kernel.COUNT]):
                passed += count
                yield self._run(count)
            if why != kernel.ROWS_FULL:
                break
            self._make_room(need)
        if at >= state[kernel.BATCH_END] and self._is_fill(at):
            return at
        with self.local().open("rb") as stream:
            scan = Scan(stream, self.name)
            events = islice(scan.events(self.is_last), passed, None)
            for event in ReferenceScanner(FORMAT).in_runs(events, self.wanted):
                if not isinstance(event, End):
                    yield event
        return scan.end

    def _is_fill(self, at: int) -> bool:
        """Return whether only preallocated space follows (KDB-012, KDB-013)."""
        if at >= self.source.size:
            return True
        head = self.window.peek(at, len(EOF_RECORD))
        return at >= self.fill and (head[0] == 0 or head == EOF_RECORD)

    def _walk(self) -> int:
        """Run the kernel over the buffered bytes with the free space of the arrays."""
        return kernel.walk(  # type: ignore[no-any-return]
            self.window.array, self.source.size, self.fill, self.cap, MAX_BYTES, self.at,
            self.size, self.batch, self.command, self.offsets, self.room, self.state,
        )  # fmt: skip

    def _run(self, count: int) -> Records:
        """Return the first ``count`` rows."""
        ends = self.offsets[: count + 1]
        payload = arrays.binary(ends, self.room, pa.binary()) if self.cap >= 0 else None
        size = self.size[:count]
        is_cut = self.cap >= 0 and self.state[kernel.CUT]
        truncated = size - kernel.RECORD_HEAD > self.cap if is_cut else None
        fields = self._fields(self.batch[:count], self.command[:count])
        return Records(self.at[:count], size, payload, fields, self.name, truncated)

    def _fields(self, batch: NDArray[np.int64], command: NDArray[np.int32]) -> dict[str, pa.Array]:
        wants, fields, count = self.wanted.wants, {}, len(batch)
        if wants("type"):
            fields["type"] = arrays.repeated(1, pa.int32(), count)
        if wants("batch"):
            fields["batch"] = arrays.numbers(batch)
        if wants("command") or wants("command_name"):
            lowest, highest = int(command.min()), int(command.max())
            if lowest == highest:  # the common case: all are equal
                known = None if lowest == kernel.NO_COMMAND else lowest
                name = None if known is None else COMMANDS[known]
                number = arrays.repeated(known, pa.int32(), count)
                names = arrays.repeated(name, pa.string(), count)
            else:
                none = command == kernel.NO_COMMAND
                number = pa.array(command, mask=none if lowest == kernel.NO_COMMAND else None)
                names = COMMAND_NAMES.take(number)
            fields |= {
                name: values
                for name, values in (("command", number), ("command_name", names))
                if wants(name)
            }
        return fields


def fill_start(source: Source) -> int:
    """Return the offset of the zeros and EOF records at the end of a data file (KDB-013)."""
    end = source.size
    length = 4096
    while end > 0:
        start = max(0, end - length)
        data = source.read(start, end - start)
        if len(data) < end - start:
            raise OSError(f"at offset {start}: expected {end - start} bytes, found {len(data)}")
        fill_bytes = int(kernel.fill_in(np.frombuffer(data, np.uint8)))
        if fill_bytes == 0:
            break
        end -= fill_bytes
        length = WINDOW_BYTES if fill_bytes > length // 2 else 4096
    return end
