"""``walproof PATH``: summarise a log, or list the logs of a directory."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from reference_impl.answer import Lost
from reference_impl.formats import named
from reference_impl.register import registers
from walproof.cli.context import context_option, format_option
from walproof.cli.opening import errors_of, opened
from walproof.cli.output import EXIT_STATUS, say, say_json
from walproof.lake.recognition import is_blank
from walproof.log import Log, is_log
from walproof.log_summary import RecordText, Summary, summarise
from walproof.quantity import counted, exact, moment
from walproof.verdict import VERDICT_STYLE

#: Minimum size in bytes of logs for which a progress bar is shown.
LARGE_LOG_BYTES = 16 << 20
#: Width of the output in columns if it is not a terminal.
WIDTH = 100
#: Width in columns of the labels on the left.
LABEL = 8
_RECOGNISED = {
    "content": "recognised by its content",
    "name": "recognised only by its name",
    "option": "format as specified",
}
#: A text and its colour.
Line = tuple[str, str | None]


@click.command()
@click.argument("path", metavar="PATH")
@format_option
@context_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per log.")
def summary(path: str, format_id: str | None, context_items: tuple[str, ...], as_json: bool) -> int:
    """Summarise a log, or list the logs of a directory.

    PATH is a log, a directory, a pipe, or - for standard input. PATH is never changed. For a log,
    the summary shows the verdict, the lost ranges, the first and the last record, and the next
    commands. For a directory, it shows one line for each log, and the number of files that were not
    read. `walproof PATH` is the same command.

    \b
    walproof 000003.log
    walproof /var/log/journal
    zcat old.log.gz | walproof -

    Exit status: 0 if everything is intact, 3 if something is torn or damaged, 4 if something is
    refused or not a log, 1 for a usage or I/O error.
    """
    if context_items and format_id is None:
        raise click.UsageError("--context needs --format: each format has its own keys")
    if Path(path).is_dir():
        with errors_of(path):
            if not is_log(Path(path), format_id):
                from walproof.cli.directory import list_directory

                return list_directory(Path(path), path, format_id, as_json)
    with opened(path, format_id, context_items) as log:
        size = log.size
        with progress(size) as show:
            result = summarise(log, show)
        by = "option" if format_id else recognised_by(log)
        if as_json:
            say_json({"log": log.name, "size": size, "recognised_by": by, **result.to_json()})
        else:
            width = terminal_size().columns
            for text, colour in screen(log, result, size, by, is_blank(log.path), width):
                say(text, style=colour)
        return EXIT_STATUS[result.verdict]


def recognised_by(log: Log) -> str:
    """Return ``content`` if the bytes alone determine the format, else ``name``."""
    if log.path.is_dir():
        return "content"
    with tempfile.TemporaryDirectory(prefix="walproof-") as scratch:
        nameless = Path(scratch, "unnamed")
        nameless.symlink_to(log.path.resolve())
        return "content" if named(log.format).recognise(nameless) else "name"


def screen(
    log: Log, result: Summary, size: int, by: str, blank: bool, width: int
) -> Iterator[Line]:
    """Yield the summary of one log as coloured lines of text.

    Lines about lost ranges and records are cut to ``width`` columns. Text is not escaped.
    """
    title = registers()[result.format].title.partition(" (")[0]
    piped = ", read from a pipe" if log.is_copy else ""
    yield log.name, None
    yield f"  {title}, {_RECOGNISED[by]}; {exact(size)}{piped}", None
    yield f"  {_verdict(result, size, blank)}", VERDICT_STYLE[result.verdict]
    yield "", None
    if result.verdict != "refused":
        for text, colour in (*_lost_ranges(result), *_records(result)):
            yield text if len(text) <= width else f"{text[: width - 1]}…", colour
        yield "", None
        if not log.is_copy:
            yield f"  {_resume(result)}", None
            yield "", None
    yield from _next_commands(log, result)


def _verdict(result: Summary, size: int, blank: bool) -> str:
    code = f" ({result.reason})" if result.reason is not None else ""
    if blank and not result.records:
        return f"{result.verdict}: {'all bytes are zero' if size else 'empty'}{code}"
    if result.verdict == "refused":
        reasons = registers()[result.format].reasons
        return f"refused: {reasons[result.reason].words}{code}" if result.reason else "refused"
    records = f"{result.verdict}; {counted(result.records, 'record')}"
    if not result.lost_bytes:
        return f"{records}{code}"
    count = sum(result.reasons.values())
    ranges = "one range" if count == 1 else f"{count:,} ranges"
    return f"{records}, {counted(result.lost_bytes, 'byte')} lost in {ranges}"


def _lost_ranges(result: Summary) -> Iterator[Line]:
    reasons = registers()[result.format].reasons
    for number, gap in enumerate(result.ranges):
        label = "lost" if number == 0 else ""
        yield _row(label, _place(gap)), VERDICT_STYLE["torn" if gap.torn else "damaged"]
        yield _row("", f"  {reasons[gap.reason].words} ({gap.reason})"), None
    if more := sum(result.reasons.values()) - len(result.ranges):
        yield _row("", f"and {more:,} more; totals by reason:"), None
        for code, count in result.reasons.most_common():
            yield _row("", f"  {count:,} × {code}"), None
    if result.ranges:
        yield "", None


def _place(gap: Lost) -> str:
    return f"{counted(gap.end - gap.start, 'byte')} at offset {gap.start:,}{_of(gap.file)}"


def _records(result: Summary) -> Iterator[Line]:
    if result.times is not None:
        first, last = (moment(time, " UTC") for time in result.times)
        yield _row("time", f"{first} to {last}"), None
    if result.indexes is not None:
        low, high = result.indexes
        yield _row("index", f"{low} to {high}"), None
    if result.first is None or result.last is None:
        yield _row("records", "none"), None
    elif result.records == 1:
        yield _row("record", _shown(result.first)), None
    else:
        yield _row("first", _shown(result.first)), None
        yield _row("last", _shown(result.last)), None


def _shown(record: RecordText) -> str:
    return f"at {record.at:,}{_of(record.file)}: {record.text}"


def _of(file: str | None) -> str:
    return "" if file is None else f" of {file}"


def _row(label: str, text: str) -> str:
    return f"  {label:<{LABEL}}{text}"


def _resume(result: Summary) -> str:
    if result.end is None:
        return "Not safe to append: start a new file."
    return f"Safe to append at offset {result.end:,}{_of(result.end_file)}."


def _next_commands(log: Log, result: Summary) -> Iterator[Line]:
    name = "-" if log.is_copy else shlex.quote(log.name)
    pipe = "… | " if log.is_copy else ""
    commands = []
    if result.verdict == "refused":
        command = f"walproof explain {result.format} {result.reason}"
        commands.append((command, "explain the reason"))
    else:
        if result.verdict != "intact":
            if result.records:
                command = f"{pipe}walproof recover {name} --out NEW"
                commands.append((command, "write the surviving records"))
            command = f"{pipe}walproof read --lost-only {name}"
            commands.append((command, "list all lost ranges"))
        if result.records:
            commands.append((f"{pipe}walproof read {name}", "print the records"))
        commands.append((f"{pipe}walproof inspect {name}", "show every byte"))
    room = max(len(command) for command, _ in commands)
    for command, purpose in commands:
        yield f"  {command:<{room}}  {purpose}", "cyan"


def terminal_size() -> os.terminal_size:
    """Return the size of the terminal in columns and lines."""
    return shutil.get_terminal_size((WIDTH, 24))


@contextlib.contextmanager
def progress(size: int, doing: str = "reading") -> Iterator[Callable[[int], None]]:
    """Show a progress bar for a large log, and remove it at the end."""
    if size < LARGE_LOG_BYTES:
        yield lambda done_bytes: None
        return
    # Import this only for large logs: the import takes longer than reading a small log.
    from walproof.progress import progress_bar

    with progress_bar(doing, size, in_bytes=True) as bar:
        yield lambda done_bytes: bar.show(done=done_bytes)
