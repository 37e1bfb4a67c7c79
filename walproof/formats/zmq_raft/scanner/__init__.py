"""The bulk scanner of ``zmq-raft``; ``reference_impl.zmq_raft`` is authoritative.

Compiled kernels read intact index files. The reference reads damaged logs and state files.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from reference_impl.answer import End
from reference_impl.zmq_raft.directory import Folders, folders, index_files
from reference_impl.zmq_raft.index_file import index_in, path_of
from reference_impl.zmq_raft.reader import KINDS_OF_FILES, SNAPSHOT_NAME
from walproof.formats.zmq_raft.scanner import kernel
from walproof.formats.zmq_raft.scanner.entries import Entries
from walproof.formats.zmq_raft.scanner.plain_files import Index, index_of, snapshot_of
from walproof.scan.log import LocalSource, Log, Source
from walproof.scan.model import WHOLE, Event, Part, Records, Wanted
from walproof.scan.reference import ReferenceScanner

#: Runs of records; the generator returns the end of a plain log, or None at anything else.
Plain = Generator[Records, None, End | None]


def plan(log: Log, target_bytes: int) -> Sequence[Part]:
    """Return one part."""
    return [WHOLE]


def scan(log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
    """Yield the events of a log. Raises ``OSError``, also if a file shrinks while it is read."""
    passed = 0
    runs = _directory(log, wanted) if log.is_folder() else _file(log, wanted)
    while True:
        try:
            run = next(runs)
        except StopIteration as stop:
            end: End | None = stop.value
            break
        passed += len(run)
        yield run
    if end is not None:
        yield end
        return
    reference = ReferenceScanner("zmq-raft")
    events = reference.format.read(log.local(), "recover", log.context)
    yield from reference.in_runs(islice(events, passed, None), wanted)


def _file(log: Log, wanted: Wanted) -> Plain:
    with closing(log.open()) as source:
        kind = _kind_of(log, source)
        if kind == "snapshot" and (snapshot := snapshot_of(source)):
            yield snapshot.record(source, None, wanted)
            return End("intact", None, None)  # ZMR-064
        if kind != "index":
            return None
        first_index = log.context.get("first_index")
        named = index_in(log.path.name) if first_index is None else int(first_index)
        if (index := index_of(source, named)) is None:
            return None
        entries = Entries(source, index, _is_raw(log), wanted)
        last = yield from entries.runs(None, 0, kernel.NO_TERM, kernel.NO_TERM)
        return None if last is None else End("intact", None, index.resume_at)


def _kind_of(log: Log, source: Source) -> str:
    """Return the type of a file (ZMR-105)."""
    if log.context.get("kind") in KINDS_OF_FILES:
        return str(log.context["kind"])
    token = source.read(0, 4)
    if token == b"RLOG" or log.path.name.endswith(".rlog"):
        return "index"
    return "snapshot" if token == b"SNAP" or SNAPSHOT_NAME.fullmatch(log.path.name) else "state"


def _is_raw(log: Log) -> bool:
    return str(log.context.get("entries")) == "raw"  # ZMR-032


def _directory(log: Log, wanted: Wanted) -> Plain:
    parts, raw = folders(log.local(), log.context), _is_raw(log)
    paths = index_files(parts.log)
    covered, following, term = -1, None, kernel.NO_TERM
    if parts.snapshot is not None:
        covered, following = 0, 1  # ZMR-092: as if nothing had been compacted
        if parts.snapshot.is_file():
            with _opened(parts.snapshot) as source:
                if (snapshot := snapshot_of(source)) is None:
                    return None
                covered, following, term = snapshot.index, snapshot.index + 1, snapshot.term
                if snapshot.index or snapshot.size:
                    yield snapshot.record(source, parts.name(parts.snapshot), wanted)
    end = End("intact", None, None)
    index = _index_at(parts, paths[0]) if paths else None
    for path, next_path in zip(paths, [*paths[1:], None], strict=False):
        next_index = None if next_path is None else _index_at(parts, next_path)
        is_plain = next_path is None or (next_index is not None and next_index.count > 0)
        if index is None or not is_plain:
            return None
        after = index.first + index.count
        if following is not None and index.first > following:  # ZMR-093, ZMR-094
            return None
        next_term = kernel.NO_TERM
        if next_path is not None and next_index is not None:
            if next_index.first < after:  # ZMR-096
                return None
            with _opened(next_path) as source:
                next_entries = Entries(source, next_index, raw, wanted)
                next_term = next_entries.term(_begin(next_index, covered))
        with _opened(path) as source:
            entries = Entries(source, index, raw, wanted)
            name, begin = parts.name(path), _begin(index, covered)
            last = yield from entries.runs(name, begin, term, next_term)
            if last is None:
                return None
        term = last
        following = max(after, covered + 1, following or 0)
        at = index.resume_at if following == after else None
        end = End("intact", None, at, None if at is None else name)
        index = next_index
    return end


def _begin(index: Index, covered: int) -> int:
    """Return the number of the first entry that the snapshot does not cover (ZMR-092)."""
    return min(max(covered + 1 - index.first, 0), index.count)


def _opened(path: Path) -> closing[LocalSource]:
    return closing(LocalSource(path))


def _index_at(parts: Folders, path: Path) -> Index | None:
    """Return the layout of a plain index file in its place (ZMR-091)."""
    first = int(path.name[:14], 16)
    if path.relative_to(parts.log).as_posix() != path_of(first):
        return None
    with _opened(path) as source:
        return index_of(source, first)
