"""The bulk scanner of ``zmq-raft``; ``reference_impl.zmq_raft`` is authoritative.

A compiled kernel reads the entries of intact index files. The scanner reads only the requested
bytes of an intact snapshot. The executable specification reads state files and all other logs.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End, Record
from reference_impl.zmq_raft import index_file, snapshot
from reference_impl.zmq_raft.directory import first_index, folders, index_files
from reference_impl.zmq_raft.layout import VERSION, find_marker, read_at
from walproof.formats.zmq_raft.columns import COLUMNS
from walproof.scan import arrays
from walproof.scan.kernels import copy, kernel, load64
from walproof.scan.log import LocalSource, Log, Source, open_range
from walproof.scan.model import MAX_BYTES, MAX_ROWS, WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner

FORMAT = "zmq-raft"
#: Bytes before the payload of an entry: a request id, a type and a term (ZMR-030).
ENTRY_HEAD = index_file.ENTRY.size
MAX_TERM = index_file.MAX_TERM
#: Hexadecimal digits of a request id.
ID_DIGITS = 24
_DIGITS = np.array([f"{number:02x}" for number in range(256)], "S2").view(np.uint16)

#: A generator of runs. It returns the ``End`` of a log that the scanner could read, otherwise None.
Plain = Generator[Records, None, End | None]


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a log. Raises ``OSError``, for example if a file shrinks."""
    passed = 0
    runs = _directory(log, wanted) if log.is_folder() else _file(log, wanted)
    while True:
        try:
            run = next(runs)
        except StopIteration as stop:
            if stop.value is not None:
                yield stop.value
                return
            break
        passed += len(run)
        yield run
    reference = ReferenceScanner(FORMAT)
    events = reference.format.read(log.local(), "recover", log.context)
    yield from reference.in_runs(islice(events, passed, None), wanted)


@dataclass(frozen=True)
class _Index:
    """An index file in which all offsets are reliable (ZMR-046)."""

    path: Path
    name: str | None
    capacity: int
    #: Index of the first entry.
    first: int
    #: Start of the first entry, and the ends of all entries.
    bounds: NDArray[np.int64]

    @property
    def after(self) -> int:
        """Return the index after the last entry."""
        return self.first + len(self.bounds) - 1

    @property
    def resume_at(self) -> int | None:
        """Return the offset for the next entry; None if the table is full (ZMR-101)."""
        return int(self.bounds[-1]) if len(self.bounds) <= self.capacity else None


def _index_of(source: Source, path: Path, named: int | None, name: str | None) -> _Index | None:
    """Return an index file, or None if any part of it is lost (ZMR-040 to ZMR-047)."""
    stream = open_range(source, 0, source.size)
    head = stream.read(index_file.HEADER.size)
    if len(head) < index_file.HEADER.size:
        return None
    token, length, version, capacity, first = index_file.HEADER.unpack(head)
    table = 4 * capacity
    is_index = (token, length, version) == (b"RLOG", 16 + table, VERSION)
    if not is_index or named not in (None, first) or source.size < len(head) + table:
        return None
    offsets = np.frombuffer(stream.read(table), "<u4")
    count = int(np.argmax(np.append(offsets == 0, True)))  # ZMR-017
    bounds = arrays.pooled(count + 1, np.int64)
    bounds[0], bounds[1:] = 0, offsets[:count]
    data = find_marker(stream, b"ITMZ", len(head) + table)
    if data is None:
        return None
    is_sound = bounds[-1] <= min(source.size - data, index_file.MAX_DATA)
    if not is_sound or not (bounds[1:] > bounds[:-1]).all():
        return None
    bounds += data
    return _Index(path, name, capacity, first, bounds)


def _file(log: Log, wanted: Wanted) -> Plain:
    with closing(log.open()) as source:
        token, kind = source.read(0, 4), log.context.get("kind")
        is_named_index = log.path.name.endswith(".rlog")
        if token == b"SNAP" and (kind == "snapshot" or (kind is None and not is_named_index)):
            record = _snapshot_of(source, None, wanted)
            if record is None:
                return None
            yield from _runs_of(record, wanted)
            return End("intact", None, None)  # ZMR-064
        if token != b"RLOG" or kind not in (None, "index"):
            return None
        given = log.context.get("first_index")
        named = index_file.index_in(log.path.name) if given is None else int(given)
        index = _index_of(source, log.path, named, None)
        if index is None:
            return None
        runs = _runs(source, index, 0, _is_raw(log), wanted)
        is_plain = yield from _in_term_order(runs, 0)
    return End("intact", None, index.resume_at) if is_plain else None


def _snapshot_of(source: Source, name: str | None, wanted: Wanted) -> Record | None:
    """Return the record of an intact snapshot with the requested bytes of its data, else None."""
    stream = open_range(source, 0, source.size)
    head = stream.read(snapshot.HEADER.size)
    if len(head) < snapshot.HEADER.size:
        return None
    token, length, version, index, term, size = snapshot.HEADER.unpack(head)
    data = find_marker(stream, b"DATA", len(head))
    is_sound = (token, length, version) == (b"SNAP", snapshot.BODY, VERSION)
    if not is_sound or max(index, term) > snapshot.MAX_NUMBER:
        return None
    if data is None or source.size - data != size:
        return None
    # One additional byte shows that the payload is truncated, or that it is not empty.
    payload = read_at(stream, data, min(size, max(0, wanted.cap) + 1))
    return Record(0, source.size, payload, {"index": str(index), "term": str(term)}, name)


def _runs_of(record: Record, wanted: Wanted) -> Iterator[Records]:
    for run in ReferenceScanner(FORMAT).in_runs([record], wanted):
        assert isinstance(run, Records)
        yield run


def _is_raw(log: Log) -> bool:
    return str(log.context.get("entries")) == "raw"  # ZMR-032


def _directory(log: Log, wanted: Wanted) -> Plain:
    parts = folders(log.local(), log.context)
    covering, covered, following, term = None, -1, None, 0
    if parts.snapshot is not None:
        covered, following = 0, 1  # ZMR-092: without a snapshot, entries of index 0 are covered
        if parts.snapshot.is_file():
            with closing(LocalSource(parts.snapshot)) as source:
                covering = _snapshot_of(source, parts.name(parts.snapshot), wanted)
            if covering is None:
                return None
            covered, term = int(covering.fields["index"]), int(covering.fields["term"])
            following = covered + 1
    end = End("intact", None, None)
    indexes: list[_Index] = []
    for path in index_files(parts.log):
        first = first_index(path)
        if path.relative_to(parts.log).as_posix() != index_file.path_of(first):
            return None  # ZMR-091
        with closing(LocalSource(path)) as source:
            index = _index_of(source, path, first, parts.name(path))
        # ZMR-093 to ZMR-096: a gap, an overlap, or a later file without entries
        is_gap = following is not None and first > following
        is_odd = indexes and (index is None or index.after == first or first < indexes[-1].after)
        if index is None or is_gap or is_odd:
            return None
        indexes.append(index)
        following = max(index.after, covered + 1, following or 0)
        at = index.resume_at if following == index.after else None
        end = End("intact", None, at, None if at is None else index.name)
    if covering is not None and (covered or covering.payload):  # skip FileLog's default snapshot
        yield from _runs_of(covering, wanted)
    is_plain = yield from _in_term_order(_of_all(indexes, covered, _is_raw(log), wanted), term)
    return end if is_plain else None


def _of_all(
    indexes: Sequence[_Index], covered: int, is_raw: bool, wanted: Wanted
) -> Iterator[_Run | None]:
    for index in indexes:
        begin = max(0, covered + 1 - index.first)  # ZMR-092
        with closing(LocalSource(index.path)) as source:
            yield from _runs(source, index, begin, is_raw, wanted)


@dataclass(frozen=True)
class _Run:
    """Consecutive entries, with the terms of the first and the last entry."""

    records: Records
    first_term: int
    last_term: int


def _in_term_order(runs: Iterable[_Run | None], term: int) -> Generator[Records, None, bool]:
    """Yield runs until a run is None or begins with a lower term; return whether all were yielded.

    A run is yielded only after the next run has been read. If the next run begins with a lower
    term, the last entry of the earlier run is not part of the log (ZMR-050).
    """
    held: _Run | None = None
    for run in runs:
        if run is None or run.first_term < term:
            return False
        if held is not None:
            yield held.records
        held, term = run, run.last_term
    if held is not None:
        yield held.records
    return True


def _runs(
    source: Source, index: _Index, number: int, is_raw: bool, wanted: Wanted
) -> Iterator[_Run | None]:
    """Yield runs of entries from ``number`` on; None for a run that the scanner cannot read."""
    count = len(index.bounds) - 1
    while number < count:
        upto = index.bounds[number] + MAX_BYTES
        fitting = int(np.searchsorted(index.bounds, upto, side="right")) - 1
        end = min(max(fitting, number + 1), number + MAX_ROWS)
        yield _run(source, index, number, end, is_raw, wanted)
        number = end


def _run(
    source: Source, index: _Index, number: int, end: int, is_raw: bool, wanted: Wanted
) -> _Run | None:
    """Read the entries ``[number, end)``; None if ``_take`` rejects any (ZMR-048 to ZMR-052)."""
    bounds = index.bounds[number : end + 1]
    at, sizes, count = bounds[:-1], np.diff(bounds), end - number
    head = 0 if is_raw else ENTRY_HEAD
    terms, types = arrays.pooled(count, np.uint64), arrays.pooled(count, np.int32)
    ends, digits = arrays.pooled(count + 1, np.int32), arrays.pooled(ID_DIGITS * count)
    payload = arrays.pooled(int(np.clip(sizes - head, 0, max(0, wanted.cap)).sum()))
    data = _read(source, int(bounds[0]), int(bounds[-1] - bounds[0]))
    if not _take(
        data, bounds - bounds[0], head, wanted.cap, terms, types, digits.view(np.uint16), ends,
        payload,
    ):  # fmt: skip
        return None
    first = np.uint64((index.first + number) % (1 << 64))
    fields = {"index": arrays.numbers(np.arange(count, dtype=np.uint64) + first)}
    if head:
        fields["term"], fields["entry_type"] = arrays.numbers(terms), arrays.numbers(types)
        id_ends = np.arange(0, ID_DIGITS * count + 1, ID_DIGITS, dtype=np.int32)
        fields["request_id"] = arrays.binary(id_ends, digits, pa.string())
    columns = {
        column.name: fields[column.name]
        if column.name in fields
        else arrays.repeated(None, column.type, count)
        for column in COLUMNS
        if wanted.wants(column.name)
    }
    is_cut = sizes - head > wanted.cap
    records = Records(
        at,
        sizes,
        arrays.binary(ends, payload, pa.binary()) if wanted.payload else None,
        columns,
        index.name,
        is_cut if wanted.payload and is_cut.any() else None,
    )
    return _Run(records, int(terms[0]), int(terms[-1])) if head else _Run(records, 0, 0)


def _read(source: Source, at: int, length: int) -> NDArray[np.uint8]:
    room = arrays.pooled(length)
    if isinstance(source, LocalSource):
        found = source.read_into(at, room)
    else:
        room = np.frombuffer(source.read(at, length), np.uint8)
        found = len(room)
    if found < length:
        raise OSError(f"at offset {at}: expected {length} bytes, found {found}")
    return room


@kernel
def _take(
    data: Any,
    bounds: Any,
    head: Any,
    cap: Any,
    terms: Any,
    types: Any,
    digits: Any,
    ends: Any,
    payload: Any,
) -> Any:
    """Copy the fields and payloads of entries, and return whether all entries were copied.

    An entry is rejected if it is too short, or if its term is invalid or lower than the previous
    term.
    Entry n is ``data[bounds[n]:bounds[n + 1]]``, and its header has ``head`` bytes. Its payload is
    copied to ``payload[ends[n]:ends[n + 1]]``. A negative ``cap`` copies no payloads.
    """
    before = np.uint64(1)
    ends[0] = 0
    for row in range(len(bounds) - 1):
        i = bounds[row]
        size = bounds[row + 1] - i
        if head:
            if size < ENTRY_HEAD:
                return False
            term = load64(data, i + 12) >> np.uint64(8)
            if term < before or term > np.uint64(MAX_TERM):
                return False
            terms[row] = before = term
            types[row] = data[i + 12]
            for k in range(12):
                digits[12 * row + k] = _DIGITS[data[i + k]]
        length = max(0, min(size - head, cap))
        copy(payload, ends[row], data, i + head, length)
        ends[row + 1] = ends[row] + length
    return True
