"""Find the logs of an inventory, as the data source does, and the files of each log.

Formats may be mixed, and folders are searched recursively. Other files are found as well, because
the inventory lists every file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from walproof.lake.discovery import FoundLog, find
from walproof.lake.file_tree import Entry
from walproof.lake.names import printable_message, shown
from walproof.lake.options import Options
from walproof.lake.trees import absolute


@dataclass(frozen=True, slots=True)
class NamedLog:
    """A log, or a file that may be a log. ``name`` identifies the log in the tables."""

    name: str
    source: FoundLog

    @property
    def error(self) -> str | None:
        """Reason why the log cannot be read."""
        fault = self.source.fault
        return None if fault is None else describe_error(fault, self.source.path)

    @property
    def members(self) -> dict[str | None, Entry]:
        """Files of a readable log by name, which is None in a log of one file."""
        if self.source.fault is not None:
            return {}
        if not self.source.members:
            return {None: self.source}
        return dict(zip(self.source.files, self.source.members, strict=True))

    @property
    def identity(self) -> frozenset[tuple[str, int, int]]:
        """Path, size and modification time of each file; it differs if the log was changed."""
        return frozenset(
            (shown(entry.path), entry.size, microseconds(entry)) for entry in self.members.values()
        )


def microseconds(entry: Entry) -> int:
    """Return the modification time of a file in microseconds since 1970."""
    return int(entry.modified * 1_000_000)


def find_logs(options: Options, excluded: str | None = None) -> list[NamedLog]:
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
    return [NamedLog(_name(log, sharing[log.path] > 1), log) for log in logs]


def _name(log: FoundLog, is_shared: bool) -> str:
    """Return the path; if two logs share a folder, with a part that distinguishes them."""
    if not is_shared:
        return shown(log.path)
    journal = log.context.get("name")
    return shown(f"{log.path}/{journal}-*.log" if journal else f"{log.path} ({log.format})")


def describe_error(error: BaseException, path: str) -> str:
    """Return the text of an error without the path, which has its own column."""
    if not isinstance(error, OSError):
        return printable_message(f"{type(error).__name__}: {error}")
    text = error.strerror or str(error)
    return printable_message(text.replace(f": '{path}'", "").removeprefix(f"{path}: "))
