"""``walproof read``: print the records and lost ranges of one log."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson
from rich.console import Console

from conformance.text import spelled_out
from reference_impl.answer import End, Lost, Record, end_to_json
from walproof.cli.context import context_option, format_option
from walproof.cli.opening import opened
from walproof.cli.output import EXIT_STATUS, say
from walproof.cli.record_files import write_record_files
from walproof.cli.record_table import Table, gather_log, print_summary
from walproof.cli.summary import terminal_size
from walproof.describe import NotDescribed, describe
from walproof.log import Log, Profile
from walproof.spool import Spool

if TYPE_CHECKING:
    from walproof.scanners.model import Records

#: Number of records to convert to JSON at a time.
BATCH_ROWS = 256


@click.command()
@click.argument("path", metavar="FILE")
@format_option
@click.option(
    "--profile",
    type=click.Choice(["recover", "strict"]),
    default="recover",
    show_default=True,
    help="recover returns every provably valid record; strict stops at the first damage.",
)
@context_option
@click.option("--lost-only", is_flag=True, help="Print only the lost ranges.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@click.option(
    "--jsonl", "as_lines", is_flag=True, help="Print one JSON object per line, as they are read."
)
@click.option(
    "--describe", "described", is_flag=True, help="With --jsonl: add what each record contains."
)
@click.option("--each", "folder", metavar="DIR", type=click.Path(path_type=Path),
              help="Write each record to a file in DIR.")  # fmt: skip
def read(
    path: str,
    format_id: str | None,
    profile: Profile,
    context_items: tuple[str, ...],
    lost_only: bool,
    as_json: bool,
    as_lines: bool,
    described: bool,
    folder: Path | None,
) -> int:
    """List the records and lost ranges of a log.

    FILE is a log, a pipe, or - for standard input. FILE is never changed. On a terminal, the table
    shows as many records as fit on the screen; in a pipe or a file, it shows all. There, the first
    thousand rows are in log order and set the widths of the columns; the others are printed as they
    are read. The table describes records in words; --json prints their payloads. --jsonl prints
    {"record": …} and {"lost": …} as they are found, then one {"end": …}. With --jsonl, memory use
    does not depend on the size of the log.

    --describe adds the decoded content of each record, such as the puts and deletes of a write
    batch. Keys and values are text, or {"hex": …} if they are not text.

    --each names each file after the index of its record, such as 0000000000000100.data. In formats
    without indexes, the records are numbered from 0. One line of JSON is printed for each file.

    \b
    walproof read 000003.log
    walproof read 000003.log --lost-only
    walproof read 000003.log --json | jq .lost
    zcat 000003.log.gz | walproof read - --jsonl
    walproof read 000003.log --jsonl --describe | jq .record.describe
    walproof read /var/lib/raft --each entries

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    _one_way(lost_only=lost_only, json=as_json, jsonl=as_lines, each=folder)
    if described and not as_lines:
        raise click.UsageError("--describe requires --jsonl")
    with opened(path, format_id, context_items, profile) as log:
        if folder is not None:
            return write_record_files(log, folder)
        if as_lines:
            return EXIT_STATUS[_print_lines(log, described).verdict]
        if as_json:
            return EXIT_STATUS[_print_json(log).verdict]
        shown = terminal_size().lines - 4 if sys.stdout.isatty() else None
        console = Console()
        table = Table(console, log.size)
        records = 0 if lost_only else shown
        stored = gather_log(log, records, shown, table if shown is None else None)
        if not table.has_begun:
            table.begin(stored, shown)
        rows = stored.lost_count if lost_only else stored.rows
        if shown is not None and rows > shown:
            say(f"… and {rows - shown:,} more")
        print_summary(stored, log.format, log.name, console, resume=not log.is_copy)
        return EXIT_STATUS[stored.end.verdict]


def _one_way(**ways: object) -> None:
    requested = [f"--{name.replace('_', '-')}" for name, given in ways.items() if given]
    if len(requested) > 1:
        raise click.UsageError(f"{' and '.join(requested)} exclude each other")


def _print_json(log: Log) -> End:
    """Print the answer as one JSON object, with the records as they are read."""
    lost, ends = Spool(), []

    def records() -> Iterator[list[Any]]:
        for event in log.runs():
            lost.rank(event.file)
            if isinstance(event, End):
                ends.append(event)
            elif isinstance(event, Lost):
                lost.add(event, event.to_json())
            else:
                yield from _batches(log, event)

    _print_list(b'{"records": [', records())
    _print_list(b'\n], "lost": [', ([row] for row in lost.rows()))
    sys.stdout.buffer.write(b"\n],\n" + _json([_end(ends[0])], b"")[1:] + b"\n")
    return ends[0]


def _print_list(start: bytes, batches: Iterable[list[Any]]) -> None:
    sys.stdout.buffer.write(start)
    before = b"\n"
    for batch in batches:
        sys.stdout.buffer.write(before + _json(batch, b",\n"))
        before = b",\n"


def _print_lines(log: Log, described: bool) -> End:
    """Print one JSON object per event."""
    write = sys.stdout.buffer.write
    for event in log.events() if described else log.runs():
        if isinstance(event, End):
            end = event
            write(_json([{"end": _end(event)}], b"") + b"\n")
        elif isinstance(event, Lost):
            write(_json([{"lost": event.to_json()}], b"") + b"\n")
        else:
            for batch in _batches(log, event, described):
                write(b'{"record":' + _json(batch, b'}\n{"record":') + b"}\n")
    return end


def _batches(
    log: Log, event: Record | Records, described: bool = False
) -> Iterator[list[dict[str, Any]]]:
    """Yield records as in an answer, in lists of at most :data:`BATCH_ROWS`."""
    if isinstance(event, Record):
        more = {"describe": _described(log.format, event)} if described else {}
        yield [event.to_json() | more]
        return
    from walproof.scanners.answers import json_records

    for piece in event.pieces(BATCH_ROWS):
        yield list(json_records(log.format, piece))


def _end(end: End) -> dict[str, Any]:
    position = end_to_json(end.end, end.file)
    return {"verdict": end.verdict, "reason": end.reason, "end": position}


def _json(values: Iterable[Any], between: bytes) -> bytes:
    """Return values as JSON with ``between`` between them, and invisible characters escaped."""
    text = between.join(map(orjson.dumps, values))
    is_visible = text.isascii() and b"\x7f" not in text
    return text if is_visible else spelled_out(text.decode()).encode()


def _described(format_id: str, record: Record) -> dict[str, Any] | None:
    try:
        description = describe(format_id, record)
    except NotDescribed as error:
        return {"not_described": str(error)}
    return None if description is None else description.fields
