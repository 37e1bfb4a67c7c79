"""Find the logs in files and folders.

A folder may be a log of several files, or contain such logs. Each format recognises its own folders
(``format_discovery``), whose files are then not separate logs. Every other file in a folder is a
log. Paths follow the rules of Spark's file sources: globs are expanded, names that begin with ``_``
or ``.`` are hidden, and subfolders are searched only with ``recursiveFileLookup``.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from reference_impl.formats import FORMATS
from walproof.formats import plugin_for
from walproof.lake.file_tree import Entry, Tree
from walproof.lake.format_discovery import Folder
from walproof.lake.options import BadOption, Options
from walproof.lake.trees import absolute, tree_of


@dataclass(frozen=True)
class FoundLog:
    """A log that was found by a search. Instances are small and picklable.

    ``format`` is None if it was not detected yet. ``files`` contains the file names of a log of
    several files, relative to ``path``. ``fault`` is the error that prevents reading. ``inode``
    identifies a local log of one file. ``is_link`` is true if the path is a symbolic link.
    """

    path: str
    size: int = 0
    modified: float = 0.0
    format: str | None = None
    files: tuple[str, ...] = ()
    context: dict[str, Any] = field(default_factory=dict)
    fault: OSError | None = None
    inode: tuple[int, int] | None = None
    is_link: bool = False


def find(options: Options) -> list[FoundLog]:
    """Return all logs under the paths of a query, sorted by path.

    If several symbolic links lead to a log, it is returned once: under its own path if that was
    searched, otherwise under the first link. Raises :class:`BadOption` if there is no path, and
    ``FileNotFoundError`` if a path or glob matches nothing. Errors of files and folders below a
    path are stored in ``fault``.
    """
    if not options.paths:
        raise BadOption("journal: no path: use load(path), option('path', …) or OPTIONS(path '…')")
    results: dict[tuple[str, str], FoundLog] = {}
    seen: set[tuple[int, int]] = set()
    searches = []
    for path in options.paths:
        here = absolute(path)
        tree = tree_of(here, dict(options.file_system))
        search = _Search(tree, options, seen)
        searches.append((search, _expand(tree, here, path)))
    for search, roots in searches:
        for log in (log for root in roots for log in search.under(root)):
            results.setdefault((log.path, str(log.context.get("name"))), log)
    for search, _ in searches:
        for log in search.behind_links():
            results.setdefault((log.path, str(log.context.get("name"))), log)
    return _once([results[key] for key in sorted(results)])


def _once(logs: Sequence[FoundLog]) -> list[FoundLog]:
    """Remove links to files that were also found under another name."""
    mine = {log.inode for log in logs if log.inode is not None and not log.is_link}
    stored = []
    for log in logs:
        if log.inode is not None and log.is_link:
            if log.inode in mine:
                continue
            mine.add(log.inode)
        stored.append(log)
    return stored


class _Search:
    """A search in one tree. ``seen`` are the folders visited by any search of a query."""

    def __init__(self, tree: Tree, options: Options, seen: set[tuple[int, int]]) -> None:
        self.tree = tree
        self.options = options
        self.seen = seen
        self._links: list[Entry] = []

    def under(self, root: Entry) -> Iterator[FoundLog]:
        """Yield the logs at a given path, except in linked folders."""
        if root.is_folder:
            yield from filter(self._is_wanted, self._folder(root, 0))
        elif self._is_wanted(log := self._file(root)):
            yield log

    def behind_links(self) -> Iterator[FoundLog]:
        """Yield the logs in linked folders that were not reached without a link."""
        while self._links:
            yield from filter(self._is_wanted, self._folder(self._links.pop(0), 1))

    def _file(self, entry: Entry) -> FoundLog:
        format_id = None if self.options.format == "auto" else self.options.format
        context = self.options.context(format_id) if format_id else {}
        return FoundLog(
            entry.path,
            entry.size,
            entry.modified,
            format_id,
            context=context,
            fault=entry.fault,
            inode=entry.inode,
            is_link=entry.is_link,
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
                if self.options.recursive and entry.is_link:
                    self._links.append(entry)
                elif self.options.recursive:
                    yield from self._folder(entry, depth + 1)
                elif depth == 0:
                    yield from self._child(entry)
            elif entry.path not in taken:
                log = self._file(entry)
                # A file next to those of a log belongs to it unless it is a log itself.
                if not logs or self._recognised(log):
                    yield log

    def _child(self, folder: Entry) -> Iterator[FoundLog]:
        """Yield the logs of several files in a folder whose subfolders are not searched."""
        try:
            entries = [entry for entry in self.tree.entries(folder.path) if not _is_hidden(entry)]
        except OSError as error:
            yield FoundLog(folder.path, fault=error)
            return
        yield from self._logs_of_several(folder, entries)

    def _was_here(self, folder: Entry) -> bool:
        """Record a visit; return whether the folder was visited before, as by a circular link."""
        if folder.inode is None:
            return False
        if folder.inode in self.seen:
            return True
        self.seen.add(folder.inode)
        return False

    def _recognised(self, log: FoundLog) -> bool:
        if log.fault is not None:
            return True
        try:
            result = self.tree.detect(log.path)
        except (OSError, ValueError):
            return False
        return self.options.format in ("auto", result)

    def _logs_of_several(self, folder: Entry, entries: Sequence[Entry]) -> Iterator[FoundLog]:
        wanted = FORMATS if self.options.format == "auto" else (self.options.format,)
        for format_id in wanted:
            is_given = self.options.format != "auto"
            looked_at = Folder(format_id, entries, self.tree, is_given)
            for context, files in plugin_for(format_id).discovery.logs_in(looked_at):
                prefix = len(folder.path.rstrip("/")) + 1
                yield FoundLog(
                    folder.path,
                    sum(file.size for file in files),
                    max(file.modified for file in files),
                    format_id,
                    tuple(file.path[prefix:] for file in files),
                    {**self.options.context(format_id), **context},
                )

    def _is_wanted(self, log: FoundLog) -> bool:
        options = self.options
        if log.files and log.format is not None:
            # The given context may select one of several logs in a folder.
            given = options.context(log.format)
            if any(log.context.get(key, value) != value for key, value in given.items()):
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


def _is_hidden(entry: Entry) -> bool:
    """Return whether Spark skips a file: a hidden name, or an unfinished copy."""
    name = entry.name
    return (
        (name.startswith("_") and "=" not in name)
        or name.startswith(".")
        or name.endswith("._COPYING_")
    )


def _expand(tree: Tree, path: str, given: str) -> list[Entry]:
    """Return the files and folders of a path or glob. Raises ``FileNotFoundError`` for no match."""
    try:
        return [tree.entry(path)]
    except FileNotFoundError:
        if not re.search(r"[*?\[{]", path):
            raise FileNotFoundError(f"journal: path does not exist: {given}") from None
    results: dict[str, Entry] = {}
    for alternative in _braces(path):
        for entry in _glob(tree, alternative):
            results[entry.path] = entry
    if not results:
        raise FileNotFoundError(f"journal: path does not exist: {given} (nothing matches)")
    return [results[name] for name in sorted(results)]


def _glob(tree: Tree, path: str) -> Iterator[Entry]:
    scheme, mark, rest = path.rpartition("://")
    parts = rest.strip("/").split("/")
    first = 1 if mark else 0  # buckets and hosts are not globs
    start = f"{scheme}{mark}{parts[0]}" if mark else "/"
    locations = [Entry(start, is_folder=True)]
    for part in parts[first:]:
        locations = [inner for place in locations for inner in _matching(tree, place, part)]
    yield from locations


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
    except OSError:  # missing or unreadable: nothing matches
        return


def _matches(name: str, glob: str) -> bool:
    """Match a glob as Hadoop does: ``[^a]`` is the same as ``[!a]``, and ``{a,b}`` is allowed."""
    return any(
        fnmatch.fnmatchcase(name, alternative.replace("[^", "[!")) for alternative in _braces(glob)
    )


def _braces(glob: str) -> list[str]:
    """Expand ``a{b,c}`` to ``ab`` and ``ac``."""
    match = re.search(r"\{([^{}]*)\}", glob)
    if match is None:
        return [glob]
    before, after = glob[: match.start()], glob[match.end() :]
    return [created for each in match[1].split(",") for created in _braces(before + each + after)]
