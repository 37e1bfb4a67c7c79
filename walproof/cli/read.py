"""``walproof read``: the answer about one log."""

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
    help="recover keeps all that is provably whole; strict stops at the first damage.",
)
@click.option(
    "--context",
    "context_items",
    metavar="KEY=VALUE",
    multiple=True,
    help="What the reader is told besides the bytes; VALUE is JSON or text.",
)
@click.option("--fast", is_flag=True, help="Read with the bulk scanner, however small the log is.")
@click.option("--head", metavar="N", type=click.IntRange(min=1), help="Only the first N rows.")
@click.option("--records", "all_rows", is_flag=True, help="All rows, however many there are.")
@click.option("--lost-only", is_flag=True, help="Only the lost ranges.")
@click.option("--summary", "only_summary", is_flag=True, help="No rows: see walproof summary.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@click.option("--jsonl", "as_lines", is_flag=True, help="Print one object per line, as they come.")
@click.option(
    "--operations", is_flag=True, help="Print a line of JSON for each operation that records hold."
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
    help="Print the messages of a broker that wait, and the files that they pin.",
)
@click.option("--each", "folder", metavar="DIR", type=click.Path(path_type=Path),
              help="Write each record to a file in DIR.")  # fmt: skip
@click.option("--index", "ranges", metavar="RANGES",
              help="With --each: only these records, such as 100:110,1000:1050.")  # fmt: skip
@click.option("--messagepack", is_flag=True, help="With --each: write MessagePack as JSON.")
@click.option("--unzip", is_flag=True, help="With --each: unpack what gzip or zlib packed.")
@click.option("--force", is_flag=True, help="With --each: replace existing files.")
def read(
    log: str,
    format_id: str | None,
    profile: str,
    context_items: tuple[str, ...],
    fast: bool,
    head: int | None,
    all_rows: bool,
    lost_only: bool,
    only_summary: bool,
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
    force: bool,
) -> int:
    """Read a log: its records, what is lost and why, and where a writer may resume.

    FILE is a log, - for standard input, a pipe, a packed file, or an archive with one log in it.
    It is never changed. The table says records in words where they are decoded; --json has their
    payloads. A table that is longer than the terminal is high is printed only if
    --records asks for it; there is a summary instead. --jsonl keeps memory constant, whatever the
    size of the log: it prints {"record": …} and {"lost": …} as they are found, then one
    {"end": …}.

    --operations prints what records hold, in the order of the log: the puts and deletes of a
    database, the commands of a broker, the records of an engine, with keys and values as text. Of
    bytes that are not text it prints {"hex": …}. Lost ranges go to standard error.

    --pending replays a broker's store and prints how many messages wait for which destination and
    subscription, since when, and in which files. --jsonl prints an object for each.

    --each names a file after the index of its record, or after its number in the log, from 0:
    0000000000000100.data, or .json with --messagepack. It prints a line of JSON for each file.
    Ranges include both ends.

    \b
    walproof read 000003.log
    walproof read 000003.log --lost-only
    walproof read 000003.log --json | jq .lost
    zcat 000003.log.gz | walproof read - --jsonl
    walproof systemd read /var/log/journal --unit ssh --since yesterday
    walproof read ./db --operations | jq -r .key
    walproof read ./partition --operations --where position=100:200
    walproof read /var/lib/raft --each entries --index 100:110,1000: --messagepack

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error; with --each
    also 3 for a payload that could not be unpacked, and 1 for a range without records.
    """
    _one_way(head=head if not operations else None, records=all_rows, lost_only=lost_only,
             summary=only_summary, json=as_json, jsonl=as_lines if not pending else None,
             operations=operations, pending=pending, each=folder)  # fmt: skip
    if not operations and (as_csv or conditions):
        raise click.UsageError("--csv and --where go with --operations")
    wanted = [parse_condition(condition) for condition in conditions]
    if folder is None and (ranges is not None or messagepack or unzip or force):
        raise click.UsageError("--index, --messagepack, --unzip and --force go with --each DIR")
    if fast and profile != "recover":
        raise click.UsageError(
            "--fast and --profile strict exclude each other: the bulk scanners know no stop at the"
            " first damage, they keep all that is provably whole"
        )
    try:
        with opened(log, format_id) as found:
            context = context_of(context_items, found.format.id)
            if only_summary:
                return about_one(found.source, format_id, context)
            if folder is not None:
                events = _events(found, profile, context, fast)
                return write_record_files(found, events, folder, ranges, messagepack, unzip, force)
            if operations or pending:
                events = _events(found, profile, context, fast)
                if pending:
                    return _print_pending(found, events, as_lines)
                return _print_operations(found, events, as_csv, wanted, head)
            if as_lines and _is_scanned(found, profile, fast):
                return EXIT_STATUS[_print_scanned(found, context)]
            if as_lines:
                return EXIT_STATUS[_print_lines(_events(found, profile, context, fast)).verdict]
            if as_json:
                kept = _gathered(found, _events(found, profile, context, fast))
                return EXIT_STATUS[_print_json(kept).verdict]
            room = None if all_rows or not sys.stdout.isatty() else terminal_height() - 4
            most = head if head is not None else room
            is_asked = head is not None or lost_only
            events = _events(found, profile, context, fast, 0 if lost_only else most)
            stop = None if is_asked else room
            kept = _gathered(found, events, 0 if lost_only else most, most, stop)
            if stop is not None and kept.rows > stop:
                status = about_one(found.source, format_id, context)
                piped = "… | " if log == "-" else ""
                again = f"{piped}walproof read --records {shlex.quote(log)}"
                say(f"  {again}  all of them as a table", style="cyan")
                return status
            console = Console()
            rows = kept.lost_count if lost_only else kept.rows
            is_merged = found.logs_apart is not None
            print_table(kept, found.format.id, console, most, rows, is_merged)
            print_summary(kept, found.format.id, found.name, console, resume=found.may_resume)
            return EXIT_STATUS[kept.end.verdict]
    except ValueError as error:  # a --context that the format does not understand
        raise click.ClickException(str(error)) from None


def _print_operations(
    found: Opened,
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
    of_log = plugin_for(found.format.id).operations(found.path)
    # A bar between lines on one terminal would be in their way.
    with progress(0 if sys.stdout.isatty() else size_of(found.path)) as passed:
        seen: Iterator[Any] = watched(events, found.path, passed)
        return print_operations(found.format.id, of_log, seen, found.name, as_csv, conditions, most)


def _print_pending(found: Opened, events: Iterator[Any], as_lines: bool) -> int:
    """Print what waits when a log ends, and return the exit status."""
    plugin = plugin_for(found.format.id)
    if not plugin.has("pending"):
        raise click.UsageError(f"--pending: expected a broker's store, found {found.format.id}")
    try:
        from walproof.cli.operations import print_pending
    except ModuleNotFoundError as error:
        raise click.ClickException(f"--pending {advice(error) or error}") from None
    assert plugin.pending is not None
    with progress(size_of(found.path)) as passed:
        seen: Iterator[Any] = watched(events, found.path, passed)
        return print_pending(found.format.id, plugin.pending(), seen, found.name, as_lines)


def _one_way(**ways: object) -> None:
    """Raise ``UsageError`` if more than one way of printing was asked for."""
    asked = [f"--{name.replace('_', '-')}" for name, given in ways.items() if given]
    if len(asked) > 1:
        raise click.UsageError(f"{' and '.join(asked)} exclude each other")


def _gathered(
    found: Opened,
    events: Iterable[Event | Passed],
    records: int | None = None,
    lost: int | None = None,
    stop: int | None = None,
) -> Gathered:
    """What :func:`gather` gives, with a bar on the terminal for a large log."""
    with progress(size_of(found.path)) as told:
        count_lost = lost_counter(found.format.id, found.path)
        return gather(watched(events, found.path, told), records, lost, stop, count_lost)


def _events(
    found: Opened, profile: str, context: Context, fast: bool, most: int | None = None
) -> Iterator[Any]:
    """The answer in pieces. A large log is read by its scanner, if that is installed.

    Of such a log come no more records than ``most``, and how many follow.
    """
    found.tell()
    if found.logs_apart is not None:
        return found.events(profile, context, tells=False)
    if _is_scanned(found, profile, fast):
        read = bulk_scanner()
        if most is not None:
            return few(found.format.id, found.path, context, most)
        return read(found.format.id, found.path, context)
    return found.events(profile, context, tells=False)


def _is_scanned(found: Opened, profile: str, fast: bool) -> bool:
    """Whether the bulk scanner does the work: if asked to, and if a large log makes it worth it."""
    if found.logs_apart is not None:
        return False
    if fast or profile != "recover":
        return fast
    return is_worth_a_scanner(found.format.id, found.path)


def bulk_scanner() -> Callable[[str, Path, Context], Iterator[Event]]:
    """The answer from the bulk scanners. Raises ``ClickException`` if they are not installed."""
    try:
        from walproof.scan.answers import read
    except ModuleNotFoundError as error:
        raise click.ClickException(f"--fast {advice(error) or error}") from None
    return read


def _print_json(found: Gathered) -> End:
    """The answer as one object, a record at a time: what ``Answer.to_json`` says, indented."""
    end = found.end
    out = sys.stdout
    out.write(f'{{\n "verdict": {json_text(end.verdict)},\n "reason": {json_text(end.reason)},\n')
    _print_list("records", found.kept.records)
    _print_list("lost", found.kept.lost())
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


def _print_scanned(found: Opened, context: Context) -> str:
    """Print what the bulk scanner says, many lines at once; the verdict."""
    bulk_scanner()
    from walproof.jsonl.runs import lines
    from walproof.scan import scanner
    from walproof.scan.log import Log
    from walproof.scan.model import Records, Wanted

    verdict = ""

    def passed() -> Iterator[ScanEvent]:
        nonlocal verdict
        for event in scanner(found.format.id).scan(Log(found.path, context), Wanted()):
            if isinstance(event, End):
                verdict = event.verdict
            elif isinstance(event, Records) and len(event):
                meter.at(event.file, int(event.at[-1] + event.size[-1]))
            yield event

    found.tell()
    # A bar between lines on one terminal would be in their way.
    size = 0 if sys.stdout.isatty() else size_of(found.path)
    with progress(size) as told:
        meter = Meter(found.path, told)
        for piece in lines(found.format.id, passed()):
            sys.stdout.buffer.write(piece)
    return verdict


def _print_lines(events: Iterator[Event]) -> End:
    last = None
    for last in events:
        for piece in pieces(last):
            sys.stdout.write(piece)
    assert isinstance(last, End)
    return last
