"""Find the logs and other files of an inventory, as the data source does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from walproof.lake.discovery import FoundLog, find
from walproof.lake.file_tree import Entry
from walproof.lake.names import printable_message, shown
from walproof.lake.options import Options
from walproof.lake.trees import absolute


def find_logs(
    options: Options, excluded: str | None = None, originals: Mapping[str, str] | None = None
) -> dict[str, FoundLog]:
    """Map names to the logs under the given paths, sorted by path.

    A name is the path of a log, with a suffix if several logs share a folder. The folder
    ``excluded`` is left out. ``originals`` maps the path of a copy to the path of its original.
    Raises ``FileNotFoundError`` for a missing path.
    """
    logs = find(options)
    for copy, original in (originals or {}).items():
        logs = [
            replace(log, original=original + log.path.removeprefix(copy))
            if f"{log.path}/".startswith(f"{copy}/")
            else log
            for log in logs
        ]
    if excluded is not None:
        prefix = f"{absolute(excluded)}/"
        logs = [log for log in logs if not f"{log.path}/".startswith(prefix)]
    sharing = Counter(log.shown_path for log in logs)
    named = {}
    for log in logs:
        name = log.shown_path
        if sharing[name] > 1:
            journal = log.context.get("name")
            name += f"/{journal}-*.log" if journal else f" ({log.format})"
        named[shown(name)] = log
    return named


def files_of(log: FoundLog) -> dict[str | None, Entry]:
    """Return the files of a readable log by name, which is None in a log of one file."""
    if log.fault is not None:
        return {}
    return dict(zip(log.files, log.members, strict=True)) if log.members else {None: log}


def microseconds(entry: Entry) -> int:
    """Return the modification time of a file in microseconds since 1970."""
    return int(entry.modified * 1_000_000)


def describe_error(error: BaseException, path: str) -> str:
    """Return the text of an error without the path, which has its own column."""
    if not isinstance(error, OSError):
        return printable_message(f"{type(error).__name__}: {error}")
    text = error.strerror or str(error)
    return printable_message(text.replace(f": '{path}'", "").removeprefix(f"{path}: "))
