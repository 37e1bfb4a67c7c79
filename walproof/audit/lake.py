"""Which logs lie in a lake, as the data source finds them, and the files of each.

Formats may be mixed, and folders are searched to the bottom. Files that are no logs are listed as
well: the audit reports on every file.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from walproof.lake.discovery import FoundLog, find
from walproof.lake.names import said, shown
from walproof.lake.options import Options as SourceOptions
from walproof.lake.trees import absolute, tree_of
from walproof.tables.rows import file_name

THREADS = 16
"""For looking at files, which is mostly waiting for storage."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a log. ``name`` is what the log's answer calls it; None in a log of one file.

    ``modified`` is in seconds since 1970.
    """

    path: str
    name: str | None
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class Found:
    """One log, or a file that may be one.

    ``log`` is its name in the tables. ``error`` says why there is nothing to read.
    """

    log: str
    source: FoundLog
    members: tuple[Member, ...] = ()
    error: str | None = None

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(member.size for member in self.members)


def lake(options: SourceOptions, but: Path) -> list[Found]:
    """The logs under the paths of the options, in order of their names.

    ``but`` is a folder that is left out: the output, when it lies in the lake. Raises
    ``FileNotFoundError`` for a path that leads nowhere; what cannot be read below it is found as
    an error.
    """
    left_out = f"{absolute(str(but))}/"
    logs = [log for log in find(options) if not f"{log.path}/".startswith(left_out)]
    shared = Counter(log.path for log in logs)
    names = (_name(log, shared[log.path] > 1) for log in logs)
    with ThreadPoolExecutor(THREADS) as threads:
        members = threads.map(lambda log: _with_members(log, options), logs)
        return [Found(name, *found) for name, found in zip(names, members, strict=True)]


def _name(log: FoundLog, is_shared: bool) -> str:
    """The path; where two logs lie in one folder, something that tells them apart."""
    if not is_shared:
        return shown(log.path)
    journal = log.context.get("name")
    return shown(f"{log.path}/{journal}-*.log" if journal else f"{log.path} ({log.format})")


def _with_members(
    log: FoundLog, options: SourceOptions
) -> tuple[FoundLog, tuple[Member, ...], str | None]:
    if log.fault is not None:
        return log, (), why(log.fault, log.path)
    if not log.files:
        return log, (Member(log.path, None, log.size, log.modified),), None
    tree = tree_of(log.path, dict(options.file_system))
    members = []
    for name in log.files:
        path = file_name(log.path, name)
        try:
            entry = tree.entry(path)
        except OSError as error:
            return log, (), why(error, path)
        members.append(Member(path, name, entry.size, entry.modified))
    return log, tuple(members), None


def why(error: BaseException, path: str) -> str:
    """What an error says, without the path, which has a column of its own."""
    if not isinstance(error, OSError):
        return said(f"{type(error).__name__}: {error}")
    text = error.strerror or str(error)
    return said(text.replace(f": '{path}'", "").removeprefix(f"{path}: "))
