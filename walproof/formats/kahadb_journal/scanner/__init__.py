"""The bulk scanner of ``kahadb-journal``; ``reference_impl.kahadb_journal`` is right.

Sound batches are a kernel's work, a window at a time (``kernel``). Where something else
stands, ``damage`` looks and says where to go on; it uses none of the reference's code
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
from walproof.formats.kahadb_journal.scanner import kernel
from walproof.formats.kahadb_journal.scanner.damage import Damage, Finding, fill_start
from walproof.scan import arrays
from walproof.scan.log import LocalSource, Log, Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.window import passing_window

MAX_HELD_BYTES = 32 << 20
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
        self.cap = wanted.cap
        self.name = name
        self.is_last = is_last
        self.window = passing_window(source)
        self.damage = Damage(source, fill_start(source))
        self.state = np.zeros(kernel.WALK_STATE, np.int64)
        self._make_room(0)

    def _make_room(self, needed: int) -> None:
        """Fresh arrays for a run; its first payload takes ``needed`` bytes, if that is known."""
        left = max(0, self.source.size - int(self.state[kernel.AT]))
        rows = min(MAX_ROWS, 1 + left // kernel.RECORD_HEAD)
        self.at, self.size, self.batch = (arrays.pooled(rows, np.int64) for _ in range(3))
        self.command, self.kind = arrays.pooled(rows, np.int32), arrays.pooled(rows, np.int8)
        self.offsets = arrays.pooled(rows + 1, np.int32)
        self.offsets[0] = 0
        length = max(needed, min(MAX_BYTES, left)) if self.cap >= 0 else 0
        self.room = arrays.pooled(length)
        self.state[kernel.COUNT] = self.state[kernel.CUT] = 0

    def events(self) -> Found:
        """Records and lost ranges in the order of the file."""
        state = self.state
        doubtful = False  # whether this place was found only because of what stands there
        while True:
            summed = int(state[kernel.SUMMED])
            state[kernel.SOUND] = 0
            state[kernel.BASE] = self.window.base
            why = self._walk()
            doubtful &= not state[kernel.SOUND]
            at, need = int(state[kernel.AT]), int(state[kernel.NEED])
            if why == kernel.NEEDS_BYTES and need <= MAX_HELD_BYTES:
                self.window.hold(at, need)
                continue
            yield from self._taken(need if why == kernel.ROWS_FULL else 0)
            if why == kernel.ROWS_FULL:
                continue
            if why == kernel.NEEDS_BYTES and at < state[kernel.BATCH_END]:
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

    def _walk(self) -> int:
        """The kernel on what is in memory, with the room that there is."""
        return kernel.walk(  # type: ignore[no-any-return]
            self.window.array, self.source.size, self.damage.fill, self.cap, MAX_BYTES, self.at,
            self.size, self.batch, self.kind, self.command, self.offsets, self.room, self.state,
        )  # fmt: skip

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

    def _taken(self, needed: int) -> Iterator[Records | Lost]:
        """What the walk found: runs of records, and single records that are lost.

        The next payload takes ``needed`` bytes, if that is known.
        """
        count = int(self.state[kernel.COUNT])
        put = int(self.offsets[count])
        rows = np.flatnonzero(self.kind[:count]).tolist()
        # A small run, as between two places that are damaged, is copied: it need not hold all this.
        is_small = 8 * count < len(self.at) and 8 * put < len(self.room)
        whole = self._run(count, put, is_small) if len(rows) < count else None
        lost = [(row, int(self.at[row]), int(self.size[row]), self.kind[row]) for row in rows]
        if (is_small or not count) and needed <= len(self.room):
            self.state[kernel.COUNT] = self.state[kernel.CUT] = 0
        else:
            self._make_room(needed)
        start = 0
        for row, at, size, kind in lost:
            if whole is not None and start < row:
                yield whole.slice(start, row)
            reason = "bad-record" if kind == kernel.BAD_RECORD else "unknown-type"
            yield Lost(at, at + size, reason, file=self.name)
            start = row + 1
        if whole is not None and start < count:
            yield whole.slice(start, count) if start else whole

    def _run(self, count: int, put: int, is_small: bool) -> Records:
        """All rows, with ``put`` bytes of payload; those of records that are lost are nobody's."""
        of_rows = [self.at, self.size, self.batch, self.command]
        run = [self.room[:put], self.offsets[: count + 1], *(values[:count] for values in of_rows)]
        room, ends, at, size, batch, command = (v.copy() for v in run) if is_small else run
        payload = arrays.binary(ends, room, pa.binary()) if self.cap >= 0 else None
        is_cut = self.cap >= 0 and self.state[kernel.CUT]
        truncated = size - kernel.RECORD_HEAD > self.cap if is_cut else None
        return Records(at, size, payload, self._fields(batch, command), self.name, truncated)

    def _fields(self, batch: NDArray[np.int64], command: NDArray[np.int32]) -> dict[str, pa.Array]:
        wants, fields, count = self.wanted.wants, {}, len(batch)
        if wants("type"):
            fields["type"] = arrays.repeated(1, pa.int32(), count)
        if wants("batch"):
            fields["batch"] = arrays.numbers(batch)
        if wants("command") or wants("command_name"):
            lowest, highest = int(command.min()), int(command.max())
            if lowest == highest:  # mostly they are all the same
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
        command = np.array([kernel.command_of(head, 0, whole)], np.int32)
        fields = self._fields(np.array([int(self.state[kernel.BATCH])]), command)
        return Records(np.array([at]), np.array([size]), payload, fields, self.name, truncated)
