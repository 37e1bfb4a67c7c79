"""The bulk scanner of ``kahadb-journal``: the twin of ``reference_impl.kahadb_journal``.

Sound batches are a kernel's work, a megabyte at a time (``kahadb_kernel``). Where something else
stands, ``kahadb_damage`` looks and says where to go on; it uses none of the reference's code
either, except for what names of data files and heads of siblings mean (``layout``).

A folder is split by file. Nothing but this crosses from one file to another, and the plan knows
it: which files are data files and which a second spelling of one (KDB-004), which is the last one
with batches, where alone a tail is torn and not damaged (KDB-049), and whether all of them are of
a sibling, when the log is one part and refused (KDB-055). A single file is one part: where a
batch begins is known only from all that stands in front of it, since a damaged one may go on at
a place that its size does not tell (KDB-045, KDB-047).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End, Lost
from reference_impl.kahadb_journal.layout import COMMANDS, data_files, file_id, sibling
from walproof.scan import payloads
from walproof.scan.kahadb_journal.damage import Damage, Finding, fill_start, kernel
from walproof.scan.log import LocalSource, Log, Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.window import Window

MAX_HELD = 32 << 20
"""Bytes of a batch that are held at once; a larger one is read twice, a larger record alone."""
FIRST_FILE = "db-1.log"
DATA, FOREIGN, DUPLICATE = "data", "foreign-journal", "duplicate-id"
COMMAND_NAMES = pa.array(COMMANDS)

Found = Generator[Records | Lost, None, int | None]
"""What one file holds; returned is where the next batch goes (KDB-051)."""


@dataclass(frozen=True)
class _Folder:
    """The files of a folder that are not empty, in log order, and what they are."""

    path: Path
    files: tuple[tuple[str, str], ...]

    @property
    def is_refused(self) -> bool:
        """Whether all its data files are of a sibling (KDB-055)."""
        roles = {role for _, role in self.files if role != DUPLICATE}
        return roles == {FOREIGN}

    def has_a_double(self, name: str) -> bool:
        """Whether another file has the number of a data file (KDB-004)."""
        doubles = (other for other, role in self.files if role == DUPLICATE)
        return file_id(name) in map(file_id, doubles)

    def last_used(self) -> str | None:
        """The last data file that is more than preallocated space (KDB-049), else the first."""
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
    """A part for each file of a folder, unless the folder is smaller than one part."""
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
    """The events of a part. Raises ``OSError``, also where a file shrinks while it is read."""
    if part.file is not None:
        role, is_last = part.state
        yield from _file(LocalSource(log.local() / part.file), wanted, part.file, role, is_last)
    elif log.is_folder():
        yield from _whole_folder(_folder(log.local()), wanted)
    else:
        source = log.open()
        head = source.read(0, 32)
        if sibling(head) is not None:
            source.close()
            yield End("refused", FOREIGN, None)
            return
        verdict = _Verdict()
        end = yield from verdict.of(_file(source, wanted, None, DATA, True))
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
        source = LocalSource(folder.path / name)
        is_last = is_after or name == last
        found = yield from verdict.of(_file(source, wanted, name, role, is_last))
        if role != DUPLICATE and not is_after:
            end, end_file, is_after = found, name, is_last
    if end == 0 and folder.has_a_double(end_file):
        end = None  # cut there, the other file would be read in its place (KDB-051)
    yield verdict.end(end, end_file)


class _Verdict:
    """Keeps account of what is lost (KDB-050)."""

    def __init__(self) -> None:
        self.damage: str | None = None
        self.torn: str | None = None

    def of(self, events: Found) -> Found:
        """The same events."""
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
        """The last event."""
        verdict = "damaged" if self.damage else "torn" if self.torn else "intact"
        reason = self.damage or self.torn
        return End(verdict, reason, at, file if at is not None else None)  # type: ignore[arg-type]


def _file(source: Source, wanted: Wanted, name: str | None, role: str, is_last: bool) -> Found:
    try:
        if role == DATA:
            return (yield from _DataFile(source, wanted, name, is_last).events())
        yield Lost(0, source.size, role, file=name)
        return None
    finally:
        source.close()


class _DataFile:
    """One pass over one data file."""

    def __init__(self, source: Source, wanted: Wanted, name: str | None, is_last: bool) -> None:
        self.source = source
        self.wanted = wanted
        self.cap = min(wanted.max_payload, payloads.LONGEST)
        self.name = name
        self.is_last = is_last
        self.window = Window(source)
        self.damage = Damage(source, fill_start(source))
        self.state = np.zeros(kernel.WALK_STATE, np.int64)
        self.at, self.size, self.batch, self.command = (
            np.empty(MAX_ROWS, np.int64) for _ in range(4)
        )
        self.kind = np.empty(MAX_ROWS, np.int8)

    def events(self) -> Found:
        """Records and lost ranges in the order of the file."""
        state = self.state
        doubtful = False  # whether this place was found only because of what stands there
        while True:
            summed = int(state[kernel.SUMMED])
            state[kernel.SOUND] = 0
            why = kernel.walk(
                self.window.array, self.window.base, self.source.size, self.damage.fill,
                self.cap if self.wanted.payload else 0, MAX_BYTES,
                self.at, self.size, self.batch, self.kind, self.command, state,
            )  # fmt: skip
            doubtful &= not state[kernel.SOUND]
            yield from self._rows(int(state[kernel.COUNT]))
            if why == kernel.ROWS_FULL:
                continue
            at = int(state[kernel.AT])
            in_batch = at < state[kernel.BATCH_END]
            if why == kernel.NEEDS_BYTES:
                need = int(state[kernel.NEED])
                if need <= MAX_HELD:
                    self.window.hold(at, need)
                    continue
                if in_batch:
                    yield self._huge(at, need)
                    state[kernel.AT] += need
                    continue
            found = self._look(at, summed)
            if found.reason is not None:
                torn = found.torn and self.is_last  # KDB-049
                yield Lost(at, found.lost_to, found.reason, torn, self.name)
                doubtful |= not found.firm
            if found.go_on is None:
                return None if doubtful else at  # KDB-051
            state[kernel.AT] = found.go_on
            state[kernel.BATCH] = at
            state[kernel.BATCH_END] = found.batch_end or 0
            state[kernel.BEYOND] = max(state[kernel.BEYOND], found.beyond)
            if found.settles and found.batch_end is not None:
                doubtful &= found.batch_end <= state[kernel.BEYOND]

    def _look(self, at: int, summed_before: int) -> Finding:
        sums = self.damage.sums
        summed = int(self.state[kernel.SUMMED])
        if summed > max(summed_before, at + kernel.CONTROL):
            # The walk met a wrong checksum, and has summed the batch.
            sums.known = (at + kernel.CONTROL, summed, int(self.state[kernel.SUM]))
        sums.upto = max(sums.upto, summed)
        found = self.damage.look(at)
        self.state[kernel.SUMMED] = sums.upto
        return found

    def _rows(self, count: int) -> Iterator[Records | Lost]:
        """What the walk found: runs of records, and single records that are lost."""
        lost = np.flatnonzero(self.kind[:count])
        start = 0
        for row in [*lost.tolist(), count]:
            if start < row:
                yield self._run(slice(start, row))
            if row < count:
                at = int(self.at[row])
                reason = "bad-record" if self.kind[row] == kernel.BAD_RECORD else "unknown-type"
                yield Lost(at, at + int(self.size[row]), reason, file=self.name)
            start = row + 1

    def _run(self, rows: slice) -> Records:
        at, size = self.at[rows].copy(), self.size[rows].copy()
        payload, truncated = None, None
        if self.wanted.payload:
            head = kernel.RECORD_HEAD
            payload, truncated = payloads.column(
                self.window.array, self.window.base, at + head, size - head, self.cap
            )
        fields = self._fields(self.batch[rows].copy(), self.command[rows])
        return Records(at, size, payload, fields, self.name, truncated)

    def _fields(self, batch: NDArray[np.int64], command: NDArray[np.int64]) -> dict[str, pa.Array]:
        wants, fields = self.wanted.wants, {}
        if wants("type"):
            fields["type"] = pa.array(np.ones(len(batch), np.int32))
        if wants("batch"):
            fields["batch"] = pa.array(batch)
        if wants("command") or wants("command_name"):
            none = command == kernel.NO_COMMAND
            number = pa.array(command.astype(np.int32), mask=none if none.any() else None)
            if wants("command"):
                fields["command"] = number
            if wants("command_name"):
                fields["command_name"] = COMMAND_NAMES.take(number)
        return fields

    def _huge(self, at: int, size: int) -> Records:
        """One record that is larger than what is held at once: cut, or held alone."""
        start, whole = at + kernel.RECORD_HEAD, size - kernel.RECORD_HEAD
        payload, truncated = None, None
        if self.wanted.payload:
            length = min(whole, self.cap)
            data = self.source.read(start, length)
            if len(data) < length:
                raise OSError(f"at offset {start}: expected {length} bytes, found {len(data)}")
            payload = pa.array([data], pa.binary())
            truncated = np.array([True]) if length < whole else None
        head = np.frombuffer(self.window.peek(start, 6), np.uint8)
        command = np.array([kernel.command_of(head, 0, whole)])
        fields = self._fields(np.array([int(self.state[kernel.BATCH])]), command)
        return Records(np.array([at]), np.array([size]), payload, fields, self.name, truncated)
