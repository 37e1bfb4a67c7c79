"""Find the logs in files and folders.

Each format recognises the folders that are its logs (``format_discovery``). Any other file counts
as a log. Paths follow the rules of Spark's file sources.
"""

from __future__ import annotations

import fnmatch
import re
from collections import deque
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
class FoundLog(Entry):
    """A log that a search found. Instances are small and picklable.

    ``format`` is None if it has not been detected yet. If the log consists of several files in a
    folder, ``members`` contains these files. If the log is a local copy, ``original`` is the path
    that was copied.
    """

    format: str | None = None
    members: tuple[Entry, ...] = ()
    context: dict[str, Any] = field(default_factory=dict)
    original: str | None = None

    @property
    def shown_path(self) -> str:
        """The path to show in tables."""
        return self.original or self.path

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the members, relative to ``path``."""
        prefix = len(self.path.rstrip("/")) + 1
        return tuple(member.path[prefix:] for member in self.members)


def find(options: Options) -> list[FoundLog]:
    """Return all logs under the paths of a query, sorted by path.

    Each log is returned only once, even if several symbolic links lead to it. Raises
    :class:`BadOption` if there is no path, and ``FileNotFoundError`` if a path or glob matches
    nothing. For a file or folder below a path that cannot be read, the error is stored in
    ``fault``.
    """
    if not options.paths:
        raise BadOption("journal: no path: use load(path), option('path', …) or OPTIONS(path '…')")
    search = _Search(options)
    for path in options.paths:
        here = absolute(path)
        tree = tree_of(here, dict(options.file_system))
        for root in _expand(tree, here, path):
            if root.is_folder:
                search.folders.append((tree, root, 0))
            else:
                search.add(search.file(root))
    search.run()
    logs = [search.results[key] for key in sorted(search.results)]
    seen = {log.inode for log in logs if not log.is_link}
    distinct = []
    for log in logs:
        if log.is_link and log.inode is not None:
            if log.inode in seen:
                continue
            seen.add(log.inode)
        distinct.append(log)
    return distinct


class _Search:
    """One search. ``folders`` and ``links`` are queues of folders to visit, with their depths."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.results: dict[tuple[str, str], FoundLog] = {}
        self.folders: deque[tuple[Tree, Entry, int]] = deque()
        self.links: deque[tuple[Tree, Entry, int]] = deque()
        self._seen: set[tuple[int, int]] = set()

    def run(self) -> None:
        # Visit links last. A log is then found under its own path rather than under a link.
        while queue := self.folders or self.links:
            tree, folder, depth = queue.popleft()
            try:
                self._visit(tree, folder, depth)
            except OSError as error:
                self.add(FoundLog(folder.path, fault=error))

    def add(self, log: FoundLog) -> None:
        if self._is_wanted(log):
            self.results.setdefault((log.path, str(log.context.get("name"))), log)

    def file(self, entry: Entry) -> FoundLog:
        format_id = None if self.options.format == "auto" else self.options.format
        context = self.options.context(format_id) if format_id else {}
        return FoundLog(**vars(entry), format=format_id, context=context)

    def _visit(self, tree: Tree, folder: Entry, depth: int) -> None:
        if folder.inode is not None:
            if folder.inode in self._seen:  # a circular link, for example
                return
            self._seen.add(folder.inode)
        entries = [entry for entry in tree.entries(folder.path) if not _is_hidden(entry)]
        logs = list(self._logs_of_several(tree, folder, entries))
        for log in logs:
            self.add(log)
        if depth and not self.options.recursive:
            return
        taken = {member.path for log in logs for member in log.members}
        for entry in entries:
            if entry.is_folder:
                if not any(path.startswith(f"{entry.path}/") for path in taken):
                    queue = self.links if entry.is_link else self.folders
                    queue.append((tree, entry, depth + 1))
            elif entry.path not in taken:
                log = self.file(entry)
                # If a folder is a log, omit its other files, except those that are logs themselves.
                if not logs or self._recognised(tree, log):
                    self.add(log)

    def _recognised(self, tree: Tree, log: FoundLog) -> bool:
        if log.fault is not None:
            return True
        try:
            result = tree.detect(log.path)
        except (OSError, ValueError):
            return False
        return self.options.format in ("auto", result)

    def _logs_of_several(
        self, tree: Tree, folder: Entry, entries: Sequence[Entry]
    ) -> Iterator[FoundLog]:
        is_given = self.options.format != "auto"
        for format_id in (self.options.format,) if is_given else FORMATS:
            looked_at = Folder(format_id, entries, tree, is_given)
            for context, files in plugin_for(format_id).discovery.logs_in(looked_at):
                yield FoundLog(
                    folder.path,
                    size=sum(file.size for file in files),
                    modified=max(file.modified for file in files),
                    format=format_id,
                    members=tuple(files),
                    context={**self.options.context(format_id), **context},
                )

    def _is_wanted(self, log: FoundLog) -> bool:
        options = self.options
        if log.members and log.format is not None:
            # The user's context may select one of several logs in a folder.
            given = options.context(log.format)
            if any(log.context.get(key, value) != value for key, value in given.items()):
                return False
        if options.glob is not None:
            names = [log.name, *(member.name for member in log.members)]
            if not any(_matches(name, options.glob) for name in names):
                return False
        if log.fault is not None:
            return True
        return (options.before is None or log.modified < options.before) and (
            options.after is None or log.modified > options.after
        )


def _is_hidden(entry: Entry) -> bool:
    """Return whether Spark skips a file, because it is hidden or an unfinished copy."""
    name = entry.name
    return (
        (name.startswith("_") and "=" not in name)
        or name.startswith(".")
        or name.endswith("._COPYING_")
    )


def _expand(tree: Tree, path: str, given: str) -> list[Entry]:
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
    first = 1 if mark else 0  # Bucket and host names are not globs.
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
    except OSError:  # A missing or unreadable folder has no matches.
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
