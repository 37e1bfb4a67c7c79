"""Find the logs of an inventory, as the data source does, and the files of each log.

Formats may be mixed, and folders are searched recursively. Other files are found as well, because
the inventory lists every file.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from walproof.lake.discovery import FoundLog, find
from walproof.lake.names import printable_message, shown
from walproof.lake.options import Options
from walproof.lake.trees import absolute, tree_of
from walproof.tables.rows import file_name

#: Number of threads for ``stat`` calls, which mostly wait for storage.
STAT_THREADS = 16


@dataclass(frozen=True, slots=True)
class Member:
    """A file of a log.

    ``name`` is its name in the log's answer, or None in a log of one file. ``modified`` is in
    microseconds since 1970.
    """

    path: str
    name: str | None
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class LogFiles:
    """A log, or a file that may be a log, with its files.

    ``name`` identifies the log in the tables. ``error`` is the reason why the log cannot be read.
    """

    name: str
    source: FoundLog
    members: tuple[Member, ...] = ()
    error: str | None = None

    @property
    def size(self) -> int:
        """Total bytes of the files."""
        return sum(member.size for member in self.members)

    @property
    def identity(self) -> frozenset[tuple[str, int, int]]:
        """Path, size and modification time of each file; it differs if the log was changed."""
        return frozenset(
            (shown(member.path), member.size, member.modified) for member in self.members
        )


def find_logs(options: Options, excluded: str | None = None) -> list[LogFiles]:
    """Return the logs under the paths of the options, sorted by path.

    The folder ``excluded`` is left out, because the output may be written next to the logs. Raises
    ``FileNotFoundError`` for a path that does not exist. An unreadable file in a folder is returned
    as a log with an error.
    """
    logs = find(options)
    if excluded is not None:
        prefix = f"{absolute(excluded)}/"
        logs = [log for log in logs if not f"{log.path}/".startswith(prefix)]
    sharing = Counter(log.path for log in logs)
    with ThreadPoolExecutor(STAT_THREADS) as threads:
        return list(
            threads.map(lambda log: _with_members(log, options, sharing[log.path] > 1), logs)
        )


def _name(log: FoundLog, is_shared: bool) -> str:
    """Return the path; if two logs share a folder, with a part that distinguishes them."""
    if not is_shared:
        return shown(log.path)
    journal = log.context.get("name")
    return shown(f"{log.path}/{journal}-*.log" if journal else f"{log.path} ({log.format})")


def _with_members(log: FoundLog, options: Options, is_shared: bool) -> LogFiles:
    name = _name(log, is_shared)
    if log.fault is not None:
        return LogFiles(name, log, error=describe_error(log.fault, log.path))
    if not log.files:
        return LogFiles(name, log, (_member(log.path, None, log.size, log.modified),))
    tree = tree_of(log.path, dict(options.file_system))
    members = []
    for file in log.files:
        path = file_name(log.path, file)
        try:
            entry = tree.entry(path)
        except OSError as error:
            return LogFiles(name, log, error=describe_error(error, path))
        members.append(_member(path, file, entry.size, entry.modified))
    return LogFiles(name, log, tuple(members))


def _member(path: str, name: str | None, size: int, modified_seconds: float) -> Member:
    return Member(path, name, size, int(modified_seconds * 1_000_000))


def describe_error(error: BaseException, path: str) -> str:
    """Return the text of an error without the path, which has its own column."""
    if not isinstance(error, OSError):
        return printable_message(f"{type(error).__name__}: {error}")
    text = error.strerror or str(error)
    return printable_message(text.replace(f": '{path}'", "").removeprefix(f"{path}: "))
