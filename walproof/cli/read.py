"""``walproof read``: print the records and lost ranges of one log."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from conformance.text import json_pieces, json_text
from reference_impl.answer import End, Event, Lost, Record, end_to_json
from reference_impl.formats import Context
from walproof.cli.conditions import Condition, parse_condition
from walproof.cli.context import context_of
from walproof.cli.opening import Opened, opened
from walproof.cli.output import EXIT_STATUS, say
from walproof.cli.reading import few, watched
from walproof.cli.record_files import write_record_files
from walproof.cli.record_table import Gathered, Passed, gather, print_summary, print_table
from walproof.cli.summary import about_one, progress, terminal_height
from walproof.extras import advice
from walproof.formats import plugin_for
from walproof.jsonl import pieces
from walproof.summary.lost_bytes import lost_counter
from walproof.summary.meter import Meter
from walproof.summary.model import size_of
from walproof.systems.reading import is_worth_a_scanner

if TYPE_CHECKING:
    from walproof.scan.model import Event as ScanEvent


@click.command()
@click.argument("log", metavar="FILE")
@click.option("--format", "format_id", metavar="ID", help="Format id; detected if not given.")
@click.option(
    "--profile",
    type=click.Choice(["recover", "strict"]),
    default="recover",
    show_default=True,
    help="recover returns every provably valid record; strict stops at the first damage.",
)
@click.option(
    "--context",
    "context_items",
    metavar="KEY=VALUE",
    multiple=True,
    help="Context for the reader; VALUE is JSON or text.",
)
@click.option("--fast", is_flag=True, help="Use the bulk scanner even for a small log.")
@click.option(
    "--head", metavar="N", type=click.IntRange(min=1), help="Print only the first N rows."
)
@click.option("--records", "all_rows", is_flag=True, help="Print all rows.")
@click.option("--lost-only", is_flag=True, help="Print only the lost ranges.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@click.option(
    "--jsonl", "as_lines", is_flag=True, help="Print one JSON object per line, as they are read."
)
@click.option(
    "--operations", is_flag=True, help="Print each operation in the records as a line of JSON."
)
@click.option("--csv", "as_csv", is_flag=True, help="With --operations: print CSV.")
@click.option(
    "--where",
    "conditions",
    metavar="NAME=VALUE",
    multiple=True,
    help="With --operations: only those with this value; FIRST:LAST for whole numbers.",
)
@click.option(
    "--pending",
    is_flag=True,
    help="Print the pending messages of a broker and the files that they pin.",
)
@click.option("--each", "folder", metavar="DIR", type=click.Path(path_type=Path),
              help="Write each record to a file in DIR.")  # fmt: skip
@click.option("--index", "ranges", metavar="RANGES",
              help="With --each: indexes of the records, such as 100:110,1000:1050.")  # fmt: skip
@click.option("--messagepack", is_flag=True, help="With --each: write MessagePack as JSON.")
@click.option("--unzip", is_flag=True, help="With --each: unpack gzip and zlib payloads.")
def read(
    log: str,
    format_id: str | None,
    profile: str,
    context_items: tuple[str, ...],
    fast: bool,
    head: int | None,
    all_rows: bool,
    lost_only: bool,
    as_json: bool,
    as_lines: bool,
    operations: bool,
    as_csv: bool,
    conditions: tuple[str, ...],
    pending: bool,
    folder: Path | None,
    ranges: str | None,
    messagepack: bool,
    unzip: bool,
) -> int:
    """List the records and lost ranges of a log.

    FILE is a log, - for standard input, a pipe, a compressed file, or an archive with one log. It
    is never changed. The table describes decoded records in words; --json prints their payloads. If
    the table does not fit the terminal, a summary is printed instead, unless you give --records.
    --jsonl uses constant memory for logs of any size: it prints {"record": …} and {"lost": …} as
    they are found, then one {"end": …}.

    --operations prints the content of the records in log order: the puts and deletes of a database,
    the commands of a broker, the records of an engine. Keys and values are printed as text, or as
    {"hex": …} if they are not text. Lost ranges go to standard error.

    --pending replays the store of a broker. For each destination and subscription it prints the
    number of pending messages, the time of the oldest and newest, and their files. --jsonl prints
    one object for each.

    --each names each file after the index of its record, or after the record number, from 0, in
    formats without indexes: 0000000000000100.data, or .json with --messagepack. It prints one line
    of JSON per file. Ranges include both ends.

    \b
    walproof read 000003.log
    walproof read 000003.log --lost-only
    walproof read 000003.log --json | jq .lost
    zcat 000003.log.gz | walproof read - --jsonl
    walproof systemd read /var/log/journal --unit ssh --since yesterday
    walproof read ./db --operations | jq -r .key
    walproof read ./partition --operations --where position=100:200
    walproof read /var/lib/raft --each entries --index 100:110,1000: --messagepack

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error. With --each,
    also 3 if a payload could not be unpacked, and 1 if a range has no records.
    """
    _one_way(head=head if not operations else None, records=all_rows, lost_only=lost_only,
             json=as_json, jsonl=as_lines if not pending else None, operations=operations,
             pending=pending, each=folder)  # fmt: skip
    if not operations and (as_csv or conditions):
        raise click.UsageError("--csv and --where require --operations")
    wanted = [parse_condition(condition) for condition in conditions]
    if folder is None and (ranges is not None or messagepack or unzip):
        raise click.UsageError("--index, --messagepack and --unzip require --each DIR")
    if fast and profile != "recover":
        raise click.UsageError(
            "--fast excludes --profile strict: the bulk scanners support only the profile recover"
        )
    try:
        with opened(log, format_id) as result:
            context = context_of(context_items, result.format.id)
            if folder is not None:
                events = _events(result, profile, context, fast)
                return write_record_files(result, events, folder, ranges, messagepack, unzip)
            if operations or pending:
                events = _events(result, profile, context, fast)
                if pending:
                    return _print_pending(result, events, as_lines)
                return _print_operations(result, events, as_csv, wanted, head)
            if as_lines and _is_scanned(result, profile, fast):
                return EXIT_STATUS[_print_scanned(result, context)]
            if as_lines:
                return EXIT_STATUS[_print_lines(_events(result, profile, context, fast)).verdict]
            if as_json:
                stored = _gathered(result, _events(result, profile, context, fast))
                return EXIT_STATUS[_print_json(stored).verdict]
            room = None if all_rows or not sys.stdout.isatty() else terminal_height() - 4
            most = head if head is not None else room
            is_asked = head is not None or lost_only
            events = _events(result, profile, context, fast, 0 if lost_only else most)
            stop = None if is_asked else room
            stored = _gathered(result, events, 0 if lost_only else most, most, stop)
            if stop is not None and stored.rows > stop:
                status = about_one(result.source, format_id, context)
                piped = "… | " if log == "-" else ""
                again = f"{piped}walproof read --records {shlex.quote(log)}"
                say(f"  {again}  print all rows as a table", style="cyan")
                return status
            console = Console()
            rows = stored.lost_count if lost_only else stored.rows
            is_merged = result.logs_apart is not None
            print_table(stored, result.format.id, console, most, rows, is_merged)
            print_summary(stored, result.format.id, result.name, console, resume=result.may_resume)
            return EXIT_STATUS[stored.end.verdict]
    except ValueError as error:  # a --context that the format rejects
        raise click.ClickException(str(error)) from None


def _print_operations(
    source: Opened,
    events: Iterator[Any],
    as_csv: bool,
    conditions: Sequence[Condition],
    most: int | None,
) -> int:
    """Print the operations of a log and return the exit status."""
    try:
        from walproof.cli.operations import print_operations
    except ModuleNotFoundError as error:
        raise click.ClickException(f"--operations {advice(error) or error}") from None
    of_log = plugin_for(source.format.id).operations(source.path)
    # No progress bar if the lines go to the same terminal.
    with progress(0 if sys.stdout.isatty() else size_of(source.path)) as passed:
        seen: Iterator[Any] = watched(events, source.path, passed)
        return print_operations(
            source.format.id, of_log, seen, source.name, as_csv, conditions, most
        )


def _print_pending(source: Opened, events: Iterator[Any], as_lines: bool) -> int:
    """Print the messages still pending at the end of a log; return the exit status."""
    plugin = plugin_for(source.format.id)
    if not plugin.has("pending"):
        raise click.UsageError(f"--pending: expected a broker's store, found {source.format.id}")
    try:
        from walproof.cli.operations import print_pending
    except ModuleNotFoundError as error:
        raise click.ClickException(f"--pending {advice(error) or error}") from None
    assert plugin.pending is not None
    with progress(size_of(source.path)) as passed:
        seen: Iterator[Any] = watched(events, source.path, passed)
        return print_pending(source.format.id, plugin.pending(), seen, source.name, as_lines)


def _one_way(**ways: object) -> None:
    """Raise ``UsageError`` if more than one output option was given."""
    requested = [f"--{name.replace('_', '-')}" for name, given in ways.items() if given]
    if len(requested) > 1:
        raise click.UsageError(f"{' and '.join(requested)} exclude each other")


def _gathered(
    source: Opened,
    events: Iterable[Event | Passed],
    records: int | None = None,
    lost: int | None = None,
    stop: int | None = None,
) -> Gathered:
    """Run :func:`gather`, with a progress bar for a large log."""
    with progress(size_of(source.path)) as given:
        count_lost = lost_counter(source.format.id, source.path)
        return gather(watched(events, source.path, given), records, lost, stop, count_lost)


def _events(
    source: Opened, profile: str, context: Context, fast: bool, most: int | None = None
) -> Iterator[Any]:
    """Yield the answer of the bulk scanner for large logs, else of the executable specification.

    The scanner only counts the records after the first ``most``.
    """
    source.tell()
    if source.logs_apart is not None:
        return source.events(profile, context, tells=False)
    if _is_scanned(source, profile, fast):
        read = bulk_scanner()
        if most is not None:
            return few(source.format.id, source.path, context, most)
        return read(source.format.id, source.path, context)
    return source.events(profile, context, tells=False)


def _is_scanned(source: Opened, profile: str, fast: bool) -> bool:
    """Return whether to use the bulk scanner: on request, or for a large log."""
    if source.logs_apart is not None:
        return False
    if fast or profile != "recover":
        return fast
    return is_worth_a_scanner(source.format.id, source.path)


def bulk_scanner() -> Callable[[str, Path, Context], Iterator[Event]]:
    """Return the bulk scanner's reader. Raises ``ClickException`` if it is not installed."""
    try:
        from walproof.scan.answers import read
    except ModuleNotFoundError as error:
        raise click.ClickException(f"--fast {advice(error) or error}") from None
    return read


def _print_json(gathered: Gathered) -> End:
    """Print the answer as one object, record by record: an indented ``Answer.to_json``."""
    end = gathered.end
    out = sys.stdout
    out.write(f'{{\n "verdict": {json_text(end.verdict)},\n "reason": {json_text(end.reason)},\n')
    _print_list("records", gathered.stored.records)
    _print_list("lost", gathered.stored.lost())
    resume = json_text(end_to_json(end.end, end.file), 1).replace("\n", "\n ")
    out.write(f' "end": {resume}\n}}\n')
    return end


def _print_list(name: str, items: Iterable[Record | Lost]) -> None:
    sys.stdout.write(f' "{name}": [')
    separator = ""
    for item in items:
        sys.stdout.write(f"{separator}\n  ")
        for piece in json_pieces(item.to_json(), 1):
            sys.stdout.write(piece.replace("\n", "\n  "))
        separator = ","
    sys.stdout.write("\n ],\n" if separator else "],\n")


def _print_scanned(source: Opened, context: Context) -> str:
    """Print the bulk scanner's answer in large pieces; return the verdict."""
    bulk_scanner()
    from walproof.jsonl.runs import lines
    from walproof.scan import scanner
    from walproof.scan.log import Log
    from walproof.scan.model import Records, Wanted

    verdict = ""

    def passed() -> Iterator[ScanEvent]:
        nonlocal verdict
        for event in scanner(source.format.id).scan(Log(source.path, context), Wanted()):
            if isinstance(event, End):
                verdict = event.verdict
            elif isinstance(event, Records) and len(event):
                meter.at(event.file, int(event.at[-1] + event.size[-1]))
            yield event

    source.tell()
    # No progress bar if the lines go to the same terminal.
    size = 0 if sys.stdout.isatty() else size_of(source.path)
    with progress(size) as given:
        meter = Meter(source.path, given)
        for piece in lines(source.format.id, passed()):
            sys.stdout.buffer.write(piece)
    return verdict


def _print_lines(events: Iterator[Event]) -> End:
    last = None
    for last in events:
        for piece in pieces(last):
            sys.stdout.write(piece)
    assert isinstance(last, End)
    return last
