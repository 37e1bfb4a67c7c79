"""``walproof DIR``: list the logs below a directory."""

from __future__ import annotations

from pathlib import Path

from reference_impl.formats import UnknownFormat
from walproof.cli.output import EXIT_STATUS, say, say_json
from walproof.log_finder import LocalLogs, find_logs
from walproof.log_summary import Summary, summarise
from walproof.quantity import counted, number
from walproof.unread_file import UnreadFile
from walproof.verdict import VERDICT_STYLE

_TITLES = ("verdict", "records", "bytes lost", "format", "log")


def list_directory(path: Path, typed: str, format_id: str | None, as_json: bool) -> int:
    """Print one line for each log below a directory, and return the exit status.

    Raises ``UnknownFormat`` if no file below the directory is a log.
    """
    found = find_logs(path, format_id)
    if not found.logs and not any(unread.is_error for unread in found.unread):
        raise UnknownFormat(f"{path}: no log found; {_not_read(found)}")
    rows: list[tuple[str, Summary]] = []
    for log in found.logs:
        name = str(Path(log.name).relative_to(path))
        try:
            with log:
                rows.append((name, summarise(log)))
        except OSError as error:
            found.unread.append(UnreadFile(name, error.strerror or str(error), is_error=True))
    if as_json:
        for name, summary in rows:
            say_json({"log": str(Path(typed, name)), **summary.to_json()})
        unread = [{"file": str(Path(typed, each.name)), "reason": each.reason}
                  for each in found.unread]  # fmt: skip
        say_json({"directory": typed, "unread": unread, "other_files": found.other_files})
    else:
        _print_table(typed, rows)
        say(_not_read(found))
        for each in found.unread:
            say(f"  not read: {each.name}: {each.reason}")
    if any(each.is_error for each in found.unread):
        return 1
    return max(EXIT_STATUS[summary.verdict] for _, summary in rows)


def _not_read(found: LocalLogs) -> str:
    count = found.other_files
    return f"{counted(count, 'other file')} {'was' if count == 1 else 'were'} not read"


def _print_table(typed: str, rows: list[tuple[str, Summary]]) -> None:
    """Print the logs, with names in the last column so that long names do not shift others."""
    cells = [
        (result.verdict, number(result.records), number(result.lost_bytes), result.format, name)
        for name, result in rows
    ]
    widths = [max(map(len, column)) for column in zip(_TITLES, *cells, strict=True)]
    say(typed)
    for row in (_TITLES, *cells):
        verdict, records, lost, format_id, name = row
        line = (
            f"{verdict:<{widths[0]}}  {records:>{widths[1]}}  {lost:>{widths[2]}}"
            f"  {format_id:<{widths[3]}}  {name}"
        )
        say(line, style=VERDICT_STYLE.get(verdict))
    say("")
