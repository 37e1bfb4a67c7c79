"""``walproof read``: print the records and lost ranges of one log."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from conformance.text import json_pieces, json_text
from reference_impl.answer import End, Event, Lost, Record, end_to_json
from reference_impl.formats import Context
from walproof.cli.conditions import parse_condition
from walproof.cli.context import context_of, context_option, format_option
from walproof.cli.opening import Opened, opened
from walproof.cli.output import EXIT_STATUS
from walproof.cli.record_files import write_record_files
from walproof.cli.record_table import (
    Gathered,
    Passed,
    gather_log,
    print_summary,
    print_table,
    watched,
)
from walproof.cli.summary import progress, terminal_size
from walproof.summary.model import size_of
from walproof.systems import Finding
from walproof.systems.reading import is_worth_a_scanner

#: The line of a record with a larger payload is written in pieces.
LARGE_BYTES = 1 << 16


@click.command()
@click.argument("log", metavar="FILE")
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
def read(
    log: str,
    format_id: str | None,
    profile: str,
    context_items: tuple[str, ...],
    lost_only: bool,
    as_json: bool,
    as_lines: bool,
    operations: bool,
    as_csv: bool,
    conditions: tuple[str, ...],
    pending: bool,
    folder: Path | None,
) -> int:
    """List the records and lost ranges of a log.

    FILE is a log, - for standard input, a pipe, a compressed file, or an archive with one log. FILE
    is never changed. On a terminal, the table shows as many records as fit on the screen; in a pipe
    or a file, it shows all. The table describes decoded records in words; --json prints their
    payloads. --jsonl prints {"record": …} and {"lost": …} as they are found, then one {"end": …}.
    Its memory use does not depend on the size of the log.

    --operations prints the operations in the records, such as the puts and deletes of a database or
    the commands of a broker. Keys and values are printed as text, or as {"hex": …} if they are not
    text. Lost ranges go to standard error.

    --pending replays the store of a broker. For each destination and subscription, the output
    contains the number, the first and last times, and the files of the pending messages. With
    --jsonl, each destination or subscription is one object.

    --each names each file after the index of its record, such as 0000000000000100.data. In formats
    without indexes, the records are numbered from 0. One line of JSON is printed for each file.

    \b
    walproof read 000003.log
    walproof read 000003.log --lost-only
    walproof read 000003.log --json | jq .lost
    zcat 000003.log.gz | walproof read - --jsonl
    walproof systemd read /var/log/journal --unit ssh --since yesterday
    walproof read ./db --operations | jq -r .key
    walproof read ./partition --operations --where position=100:200
    walproof read /var/lib/raft --each entries

    Exit status: 0 intact, 3 torn, damaged or with a loss in the folder of its system, 4 refused, 1
    for a usage or I/O error.
    """
    _one_way(lost_only=lost_only, json=as_json, jsonl=as_lines if not pending else None,
             operations=operations, pending=pending, each=folder)  # fmt: skip
    if not operations and (as_csv or conditions):
        raise click.UsageError("--csv and --where require --operations")
    wanted = [parse_condition(condition) for condition in conditions]
    with opened(log, format_id) as source:
        context = context_of(context_items, source.format.id)
        is_table = not (folder or operations or pending or as_lines or as_json)
        shown = terminal_size().lines - 4 if is_table and sys.stdout.isatty() else None
        most = 0 if lost_only else shown
        events = _events(source, profile, context, most)
        if folder is not None:
            status = write_record_files(source, events, folder)
        elif operations or pending:
            from walproof.cli.operations import print_operations, print_pending

            # No progress bar if the lines go to the same terminal.
            is_mixed = operations and sys.stdout.isatty()
            with progress(0 if is_mixed else size_of(source.path)) as passed:
                seen = watched(events, source.path, passed)
                if pending:
                    status = print_pending(source, seen, as_lines)
                else:
                    status = print_operations(source, seen, as_csv, wanted)
        elif as_lines:
            status = EXIT_STATUS[_print_lines(events).verdict]
        elif as_json:
            stored = gather_log(source.format.id, source.path, events)
            status = EXIT_STATUS[_print_json(stored).verdict]
        else:
            stored = gather_log(source.format.id, source.path, events, most, shown)
            console = Console()
            rows = stored.lost_count if lost_only else stored.rows
            is_merged = source.logs_apart is not None
            print_table(stored, source.format.id, console, shown, rows, is_merged)
            losses = _losses(source)
            may_resume = source.may_resume and not losses
            print_summary(stored, source.format.id, source.name, console, resume=may_resume)
            return max(EXIT_STATUS[stored.end.verdict], 3 if losses else 0)
        return max(status, 3 if _losses(source) else 0)


def _losses(source: Opened) -> list[Finding]:
    losses = source.losses()
    source.tell_of(each for each in losses if each not in source.findings)
    return losses


def _one_way(**ways: object) -> None:
    requested = [f"--{name.replace('_', '-')}" for name, given in ways.items() if given]
    if len(requested) > 1:
        raise click.UsageError(f"{' and '.join(requested)} exclude each other")


def _events(
    source: Opened, profile: str, context: Context, most: int | None
) -> Iterator[Event | Passed]:
    """Yield the bulk scanner's answer for a large log, else that of the executable specification.

    Records after the first ``most`` may be only counted; None means no limit.
    """
    is_large = profile == "recover" and is_worth_a_scanner(source.format.id, source.path)
    if source.logs_apart is None and is_large:
        source.tell()
        return few(source.format.id, source.path, context, sys.maxsize if most is None else most)
    return source.events(profile, context)


def few(format_id: str, path: Path, context: Context, most: int) -> Iterator[Event | Passed]:
    """Yield the bulk scanner's answer; records after the first ``most`` are only counted."""
    from walproof.scan import scanner
    from walproof.scan.answers import in_full
    from walproof.scan.log import Log
    from walproof.scan.model import Records, Wanted

    for event in scanner(format_id).scan(Log(path, context), Wanted()):
        if not isinstance(event, Records):
            yield event
            continue
        first = min(most, len(event))
        most -= first
        yield from in_full(format_id, [event.slice(0, first)] if first else [])
        if first < len(event):
            (last,) = in_full(format_id, [event.slice(len(event) - 1, len(event))])
            assert isinstance(last, Record)
            yield Passed(len(event) - first, last)


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


def _print_lines(events: Iterator[Any]) -> End:
    for event in events:
        if isinstance(event, End):
            end = event
            position = end_to_json(end.end, end.file)
            body: object = {"verdict": end.verdict, "reason": end.reason, "end": position}
        else:
            body = event.to_json()
        line = {type(event).__name__.lower(): body}
        is_large = isinstance(event, Record) and len(event.payload) > LARGE_BYTES
        for piece in json_pieces(line) if is_large else (json_text(line),):
            sys.stdout.write(piece)
        sys.stdout.write("\n")
    return end
