"""Find the logs below a local directory. Links are not followed, and only files are opened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference_impl.formats import FORMATS, UnknownFormat, named
from walproof.extras import naming_the_extra
from walproof.formats import plugin_for
from walproof.lake.file_tree import Entry
from walproof.lake.format_discovery import Folder
from walproof.lake.recognition import named_like, recognise_log
from walproof.lake.trees import LocalTree
from walproof.log import Log, check_context, is_log
from walproof.log import open as open_log
from walproof.unread_file import UnreadFile, special_file

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass
class LocalLogs:
    """The logs below a directory, the files that were not read, and the number of other files.

    The names of logs are paths. The names of files are relative to the directory.
    """

    logs: list[Log] = field(default_factory=list)
    unread: list[UnreadFile] = field(default_factory=list)
    other_files: int = 0


def find(directory: str | os.PathLike[str], format: str | None = None) -> Iterator[Log]:
    """Yield the logs below a directory, in the order of their names.

    Links are not followed, and only regular files are opened. With ``format``, logs of other
    formats are omitted. After the last log, raises ``OSError`` if a directory or file could not be
    read.
    """
    found = find_logs(Path(directory), None if format is None else named(format).id)
    yield from found.logs
    for each in found.unread:
        if each.error is not None:
            raise each.error


def scan(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    /,
    format: str | None = None,
    **context: Any,
) -> pa.RecordBatchReader:
    """Return the rows of all logs at these paths as a stream with constant memory use.

    A path is a log, or a directory whose logs are read. There is one row for each record and lost
    range, with the columns of the Spark source. An ``unreadable`` row reports an I/O error. A
    ``refused`` row reports a log that its reader refuses. If you pass a context, also pass a
    format.

    The stream can be read once. Raises the errors of :func:`walproof.open` for the paths, and
    ``ValueError`` for a context without a format. Needs ``walproof[columns]``.
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    if format is not None:
        check_context(format, context)
    elif context:
        raise ValueError("a context needs a format: each format has its own keys")
    logs = [log for path in paths for log in _logs_at(Path(path), format, context)]
    with naming_the_extra("walproof.scan"):
        from walproof.arrow_stream import stream
    return stream(logs)


def _logs_at(path: Path, format: str | None, context: dict[str, Any]) -> Iterator[Log]:
    if not path.is_dir() or is_log(path, format):
        yield open_log(path, format, **context)
        return
    for log in find(path, format):
        log.context |= context
        yield log


def find_logs(directory: Path, format_id: str | None = None) -> LocalLogs:
    """Find the logs below a directory, in the order of their names.

    With ``format_id``, logs of other formats count as other files.
    """
    found = LocalLogs()
    tree = LocalTree(follows_links=False)
    members: set[str] = set()
    visited: set[tuple[int, int]] = set()
    waiting = [directory]
    while waiting:
        here = waiting.pop()
        try:
            status = here.stat()
            if (status.st_dev, status.st_ino) in visited:  # a directory mounted inside itself
                continue
            visited.add((status.st_dev, status.st_ino))
            entries = tree.entries(str(here))
        except OSError as error:
            found.unread.append(_unreadable(directory, here, error))
            continue
        for log in _logs_of_several_files(here, entries, tree, format_id):
            paths = {str(log.path / file) for file in log.files}
            if not paths & members:
                found.logs.append(log)
                members |= paths
        for entry in entries:
            if not entry.is_folder and entry.path not in members:
                _add_file(found, directory, entry, format_id)
        waiting += [Path(entry.path) for entry in reversed(entries) if entry.is_folder]
    found.logs.sort(key=lambda log: log.name)
    with_unread: set[Path] = set()
    for each in found.unread:
        path = directory / each.name
        while path not in with_unread:
            with_unread.add(path)
            path = path.parent
    for log in found.logs:
        log.reads_files_only = bool(log.files) and log.path in with_unread
    found.unread.sort(key=lambda unread: unread.name)
    return found


def _logs_of_several_files(
    here: Path, entries: Sequence[Entry], tree: LocalTree, format_id: str | None
) -> Iterator[Log]:
    for each in FORMATS if format_id is None else (format_id,):
        folder = Folder(each, entries, tree, is_given=False)
        logs = list(plugin_for(each).discovery.logs_in(folder))
        for context, files in logs:
            paths = tuple(str(Path(file.path).relative_to(here)) for file in files)
            name = here if len(logs) == 1 else here / paths[0]
            yield Log(each, here, name=str(name), context=context, files=paths)


def _add_file(found: LocalLogs, directory: Path, entry: Entry, format_id: str | None) -> None:
    path = Path(entry.path)
    try:
        if (special := special_file(path)) is not None:
            found.unread.append(UnreadFile(str(path.relative_to(directory)), special))
        elif (recognised := _format_of(path, entry.size, format_id)) is None:
            found.other_files += 1
        else:
            found.logs.append(Log(recognised, path))
    except OSError as error:
        found.unread.append(_unreadable(directory, path, error))


def _format_of(path: Path, size: int, format_id: str | None) -> str | None:
    """Return the format of a file, or None. Raises ``OSError``."""
    if not size:  # Some files in /proc have size 0 and block any reader.
        names = named_like(path.name)
        recognised = format_id if format_id in names else names[0] if len(names) == 1 else None
    elif format_id is not None and named(format_id).recognise(path):
        recognised = format_id
    else:
        try:
            recognised = recognise_log(path)
        except UnknownFormat:
            recognised = None
    return recognised if format_id in (None, recognised) else None


def _unreadable(directory: Path, path: Path, error: OSError) -> UnreadFile:
    reason = error.strerror or str(error)
    return UnreadFile(str(path.relative_to(directory)), reason, is_error=True, error=error)
