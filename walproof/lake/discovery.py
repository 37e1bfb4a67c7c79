"""Which files and folders are logs.

A folder with the segments of a Zeebe journal, KahaDB's data files or zmq-raft's index files is one
log (each journal in it, with Zeebe), and those files are not logs apart. All else in a folder is a
log for each file. The rules for paths are those of Spark's file sources: globs, hidden names that
begin with ``_`` or ``.``, only the files of a folder itself unless ``recursiveFileLookup``.
"""

from __future__ import annotations

import contextlib
import fnmatch
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reference_impl.kahadb_journal.layout import file_id
from reference_impl.zeebe_journal.layout import (
    LARGEST_ID,
    SEGMENT_NAME,
)
from reference_impl.zmq_raft import index_file
from reference_impl.zmq_raft.directory import FOLDERS
from walproof.lake.options import BadOption, Options
from walproof.lake.trees import Entry, LocalTree, Tree, absolute, tree_of


@dataclass(frozen=True)
class FoundLog:
    """A log that was found, small and picklable.

    ``format`` is None where nobody looked yet. ``files`` are the names of the files of a log of
    several, relative to ``path``. ``fault`` says why it cannot be read.
    """

    path: str
    size: int = 0
    modified: float = 0.0
    format: str | None = None
    files: tuple[str, ...] = ()
    context: dict[str, Any] = field(default_factory=dict)
    fault: OSError | None = None


def find(options: Options) -> list[FoundLog]:
    """All logs under the paths of a query, in order of their paths.

    Raises :class:`BadOption` without a path, and ``FileNotFoundError`` for a path or glob that
    leads nowhere. What is wrong with one file or folder further down is told in its ``fault``.
    """
    if not options.paths:
        raise BadOption("journal: no path: use load(path), option('path', …) or OPTIONS(path '…')")
    found: dict[tuple[str, str], FoundLog] = {}
    for path in options.paths:
        here = absolute(path)
        tree = tree_of(here, dict(options.file_system))
        search = _Search(tree, options)
        for entry in _expand(tree, here, path):
            for log in search.under(entry):
                found.setdefault((log.path, str(log.context.get("name"))), log)
    return [found[key] for key in sorted(found)]


class _Search:
    """One search in one tree."""

    def __init__(self, tree: Tree, options: Options) -> None:
        self.tree = tree
        self.options = options
        self.seen: set[tuple[int, int]] = set()

    def under(self, root: Entry) -> Iterator[FoundLog]:
        """The logs at a path that was given."""
        if root.is_folder:
            yield from filter(self._is_wanted, self._folder(root, 0))
        elif self._is_wanted(log := self._file(root)):
            yield log

    def _file(self, entry: Entry) -> FoundLog:
        format_id = None if self.options.format == "auto" else self.options.format
        context = self.options.context(format_id) if format_id else {}
        return FoundLog(
            entry.path, entry.size, entry.modified, format_id, context=context, fault=entry.fault
        )

    def _folder(self, folder: Entry, depth: int) -> Iterator[FoundLog]:
        try:
            if self._was_here(folder):
                return
            entries = [entry for entry in self.tree.entries(folder.path) if not _is_hidden(entry)]
        except OSError as error:
            yield FoundLog(folder.path, fault=error)
            return
        logs = list(self._logs_of_several(folder, entries))
        yield from logs
        taken = {f"{log.path.rstrip('/')}/{name}" for log in logs for name in log.files}
        for entry in entries:
            if entry.is_folder:
                if any(name.startswith(f"{entry.path}/") for name in taken):
                    continue
                if self.options.recursive:
                    yield from self._folder(entry, depth + 1)
                elif depth == 0:
                    yield from self._child(entry)
            elif entry.path not in taken:
                log = self._file(entry)
                # What lies beside the files of a log belongs to it, unless it is a log itself.
                if not logs or self._recognised(log):
                    yield log

    def _child(self, folder: Entry) -> Iterator[FoundLog]:
        """A folder inside of one that is not searched to its depth: only the log that it is."""
        try:
            entries = [entry for entry in self.tree.entries(folder.path) if not _is_hidden(entry)]
        except OSError as error:
            yield FoundLog(folder.path, fault=error)
            return
        yield from self._logs_of_several(folder, entries)

    def _was_here(self, folder: Entry) -> bool:
        """Links may lead in circles."""
        if not isinstance(self.tree, LocalTree):
            return False
        found = Path(folder.path).stat()
        key = (found.st_dev, found.st_ino)
        if key in self.seen:
            return True
        self.seen.add(key)
        return False

    def _recognised(self, log: FoundLog) -> bool:
        if log.fault is not None:
            return True
        try:
            found = self.tree.detect(log.path)
        except (OSError, ValueError):
            return False
        return self.options.format in ("auto", found)

    def _logs_of_several(self, folder: Entry, entries: Sequence[Entry]) -> Iterator[FoundLog]:
        for format_id, find_in in (
            ("zeebe-journal", self._zeebe),
            ("kahadb-journal", self._kahadb),
            ("zmq-raft", self._zmq_raft),
        ):
            if self.options.format not in ("auto", format_id):
                continue
            for context, files in find_in(folder, entries):
                prefix = len(folder.path.rstrip("/")) + 1
                yield FoundLog(
                    folder.path,
                    sum(file.size for file in files),
                    max(file.modified for file in files),
                    format_id,
                    tuple(file.path[prefix:] for file in files),
                    {**self.options.context(format_id), **context},
                )

    def _looks_like(self, format_id: str, files: Sequence[Entry]) -> bool:
        """Whether one of the files does; without looking, when the user says that they are."""
        if self.options.format == format_id:
            return True
        for file in files:
            try:
                if self.tree.is_a(format_id, file):
                    return True
            except OSError:
                continue
        return False

    def _zeebe(
        self, folder: Entry, entries: Sequence[Entry]
    ) -> Iterator[tuple[dict[str, Any], list[Entry]]]:
        journals: dict[str, list[tuple[int, Entry]]] = {}
        for entry in entries:
            match = SEGMENT_NAME.fullmatch(entry.name)
            number = int(match["id"]) if match and len(match["id"]) <= 10 else LARGEST_ID + 1
            if match and number <= LARGEST_ID and _is_file(entry):
                journals.setdefault(match["name"], []).append((number, entry))
        if self.options.format == "zeebe-journal":
            # The broker's own file without a segment: everything that it acknowledged is lost.
            for entry in filter(_is_file, entries):
                if entry.name.endswith(".meta"):
                    journals.setdefault(entry.name.removesuffix(".meta"), [])
        for name, numbered in sorted(journals.items()):
            segments = [entry for _, entry in sorted(numbered, key=lambda one: one[0])]
            if self._looks_like("zeebe-journal", segments):
                beside = [entry for entry in entries if entry.name == f"{name}.meta"]
                yield {"name": name}, [*segments, *filter(_is_file, beside)]

    def _kahadb(
        self, folder: Entry, entries: Sequence[Entry]
    ) -> Iterator[tuple[dict[str, Any], list[Entry]]]:
        files = [e for e in entries if file_id(e.name) is not None and _is_file(e)]
        written = [entry for entry in files if entry.size]
        if files and (not written or self._looks_like("kahadb-journal", written)):
            yield {}, files

    def _zmq_raft(
        self, folder: Entry, entries: Sequence[Entry]
    ) -> Iterator[tuple[dict[str, Any], list[Entry]]]:
        by_name = {entry.name: entry for entry in entries}
        log, snapshot = by_name.get("log"), by_name.get("snap")
        inside = [entry for entry in entries if FOLDERS[0].fullmatch(entry.name)]
        files = []
        if log is not None and log.is_folder:
            files = self._index_files([log], *FOLDERS)
        elif inside and not (snapshot and _is_file(snapshot)):
            files = self._index_files(inside, *FOLDERS[1:])
        if snapshot is not None and _is_file(snapshot):
            if files or self._looks_like("zmq-raft", [snapshot]):
                yield {}, [snapshot, *files]
        elif files:
            yield {}, files

    def _index_files(self, folders: Sequence[Entry], *patterns: re.Pattern[str]) -> list[Entry]:
        for pattern in patterns:
            folders = [e for e in self._inside(folders) if pattern.fullmatch(e.name)]
        named = (e for e in self._inside(folders) if index_file.NAME.fullmatch(e.name))
        return sorted(filter(_is_file, named), key=lambda entry: entry.name)

    def _inside(self, folders: Sequence[Entry]) -> Iterator[Entry]:
        for folder in folders:
            if folder.is_folder:
                # Whoever reads the log will say what is wrong with a folder inside of it.
                with contextlib.suppress(OSError):
                    yield from self.tree.entries(folder.path)

    def _is_wanted(self, log: FoundLog) -> bool:
        options = self.options
        name = log.context.get("name")
        if (
            options.journal_name is not None
            and log.files
            and name
            not in (
                None,
                options.journal_name,
            )
        ):
            return False
        if options.glob is not None:
            names = [log.path, *log.files]
            if not any(_matches(name.rpartition("/")[2], options.glob) for name in names):
                return False
        if log.fault is not None:
            return True
        return (options.before is None or log.modified < options.before) and (
            options.after is None or log.modified > options.after
        )


def _is_file(entry: Entry) -> bool:
    return not entry.is_folder and entry.fault is None


def _is_hidden(entry: Entry) -> bool:
    """What Spark passes over: hidden names, and copies under way."""
    name = entry.name
    return (
        (name.startswith("_") and "=" not in name)
        or name.startswith(".")
        or name.endswith("._COPYING_")
    )


def _expand(tree: Tree, path: str, given: str) -> list[Entry]:
    """What a path or glob stands for. Raises ``FileNotFoundError`` when that is nothing."""
    try:
        return [tree.entry(path)]
    except FileNotFoundError:
        if not re.search(r"[*?\[{]", path):
            raise FileNotFoundError(f"journal: path does not exist: {given}") from None
    found: dict[str, Entry] = {}
    for alternative in _braces(path):
        for entry in _glob(tree, alternative):
            found[entry.path] = entry
    if not found:
        raise FileNotFoundError(f"journal: path does not exist: {given} (nothing matches)")
    return [found[name] for name in sorted(found)]


def _glob(tree: Tree, path: str) -> Iterator[Entry]:
    scheme, mark, rest = path.rpartition("://")
    parts = rest.strip("/").split("/")
    first = 1 if mark else 0  # a bucket or a host is no glob
    start = f"{scheme}{mark}{parts[0]}" if mark else "/"
    places = [Entry(start, is_folder=True)]
    for part in parts[first:]:
        places = [inner for place in places for inner in _matching(tree, place, part)]
    yield from places


def _matching(tree: Tree, folder: Entry, part: str) -> Iterator[Entry]:
    if not folder.is_folder:
        return
    try:
        if re.search(r"[*?\[]", part):
            for entry in tree.entries(folder.path):
                if _matches(entry.name, part) and not _is_hidden(entry):
                    yield entry
        else:
            yield tree.entry(f"{folder.path.rstrip('/')}/{part}")
    except OSError:  # no such folder, or one that nobody may look into: nothing matches there
        return


def _matches(name: str, glob: str) -> bool:
    """As Hadoop matches globs: ``[^a]`` besides ``[!a]``, and ``{a,b}``."""
    return any(
        fnmatch.fnmatchcase(name, alternative.replace("[^", "[!")) for alternative in _braces(glob)
    )


def _braces(glob: str) -> list[str]:
    """``a{b,c}`` as ``ab`` and ``ac``."""
    match = re.search(r"\{([^{}]*)\}", glob)
    if match is None:
        return [glob]
    before, after = glob[: match.start()], glob[match.end() :]
    return [made for one in match[1].split(",") for made in _braces(before + one + after)]
