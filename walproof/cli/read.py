"""``walproof read``: print the records and lost ranges of one log."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance.text import json_pieces, json_text
from reference_impl.answer import End, Lost, Record, end_to_json
from walproof.cli.context import context_option, format_option
from walproof.cli.opening import opened
from walproof.cli.output import EXIT_STATUS
from walproof.cli.record_files import write_record_files
from walproof.cli.record_table import (
    Gathered,
    gather_log,
    print_summary,
    print_table,
)
from walproof.cli.summary import terminal_size
from walproof.describe import NotDescribed, describe
from walproof.log import Log, Profile

#: The line of a record with a larger payload is written in pieces.
LARGE_BYTES = 1 << 16


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
    shows as many records as fit on the screen; in a pipe or a file, it shows all. The table
    describes records in words; --json prints their payloads. --jsonl prints {"record": …} and
    {"lost": …} as they are found, then one {"end": …}. Its memory use does not depend on the size
    of the log.

    --describe adds what the chapter of the format defines inside a record, such as the puts and
    deletes of a write batch. Keys and values are text, or {"hex": …} if they are not text.

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
            return EXIT_STATUS[_print_json(gather_log(log)).verdict]
        shown = terminal_size().lines - 4 if sys.stdout.isatty() else None
        stored = gather_log(log, 0 if lost_only else shown, shown)
        console = Console()
        rows = stored.lost_count if lost_only else stored.rows
        print_table(stored, log.format, console, shown, rows)
        print_summary(stored, log.format, log.name, console, resume=not log.is_copy)
        return EXIT_STATUS[stored.end.verdict]


def _one_way(**ways: object) -> None:
    requested = [f"--{name.replace('_', '-')}" for name, given in ways.items() if given]
    if len(requested) > 1:
        raise click.UsageError(f"{' and '.join(requested)} exclude each other")


def _print_json(gathered: Gathered) -> End:
    """Print the answer like an indented ``Answer.to_json``, but one record at a time."""
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


def _print_lines(log: Log, described: bool) -> End:
    """Print one JSON object per event."""
    for event in log.events():
        if isinstance(event, End):
            end = event
            position = end_to_json(end.end, end.file)
            body: dict[str, Any] = {"verdict": end.verdict, "reason": end.reason, "end": position}
        else:
            body = event.to_json()
            if described and isinstance(event, Record):
                body["describe"] = _described(log.format, event)
        line = {type(event).__name__.lower(): body}
        is_large = isinstance(event, Record) and len(event.payload) > LARGE_BYTES
        for piece in json_pieces(line) if is_large else (json_text(line),):
            sys.stdout.write(piece)
        sys.stdout.write("\n")
    return end


def _described(format_id: str, record: Record) -> dict[str, Any] | None:
    try:
        description = describe(format_id, record)
    except NotDescribed as error:
        return {"not_described": str(error)}
    return None if description is None else description.fields
