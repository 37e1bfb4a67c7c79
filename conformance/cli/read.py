"""``walproof read``: the answer to one log."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from conformance.reports.describe import payload_text
from reference_impl.answer import Answer, End, Event, collect, end_to_json
from reference_impl.formats import UnknownFormat, detect, named

EXIT_STATUS = {"intact": 0, "torn": 3, "damaged": 3, "refused": 4}
VERDICT_STYLE = {"intact": "green", "torn": "yellow", "damaged": "red", "refused": "magenta"}


@click.command()
@click.argument("log", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--format", "format_id", metavar="ID", help="Format id; detected when not given.")
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
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@click.option("--jsonl", "as_lines", is_flag=True, help="Print an object a line, as they come.")
def read(
    log: Path,
    format_id: str | None,
    profile: str,
    context_items: tuple[str, ...],
    as_json: bool,
    as_lines: bool,
) -> int:
    """Read a log: its records, what is lost and why, and where a writer may resume.

    The log is never changed. --jsonl keeps memory constant, whatever the size of the log: it
    prints {"record": …} and {"lost": …} as they are found, then one {"end": …}.

    \b
    walproof read 000003.log
    walproof read 000003.log --json | jq .lost

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if as_json and as_lines:
        raise click.UsageError("--json and --jsonl exclude each other")
    context = dict(_parse_context(item) for item in context_items)
    try:
        format = named(format_id) if format_id else detect(log)
        events = format.read(log, profile, context)
        if as_lines:
            return EXIT_STATUS[_print_lines(events).verdict]
        answer = collect(events)
    except UnknownFormat as error:
        if format_id:
            raise click.ClickException(str(error)) from None
        click.echo(f"Error: {error}", err=True)
        return EXIT_STATUS["refused"]
    except BrokenPipeError:
        raise  # `| head` has seen enough; the log is not to blame
    except OSError as error:
        raise click.ClickException(f"{log}: {error.strerror or error}") from None
    if as_json:
        click.echo(_dump(answer.to_json(), indent=1))
    else:
        print_answer(answer, format.id, log, Console())
    return EXIT_STATUS[answer.verdict]


def _parse_context(item: str) -> tuple[str, Any]:
    key, separator, value = item.partition("=")
    if not separator or not key:
        raise click.UsageError(f"--context: expected KEY=VALUE, found {item!r}")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _dump(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _print_lines(events: Iterator[Event]) -> End:
    last = None
    for last in events:
        if isinstance(last, End):
            end = {
                "verdict": last.verdict,
                "reason": last.reason,
                "end": end_to_json(last.end, last.file),
            }
            line = {"end": end}
        else:
            line = {type(last).__name__.lower(): last.to_json()}
        sys.stdout.write(_dump(line) + "\n")
    assert isinstance(last, End)
    return last


def print_answer(answer: Answer, format_id: str, log: Path, console: Console) -> None:
    """The answer as a table: records and lost ranges in the order of the log."""
    rows: list[tuple[str, int, dict[str, Any], bool]] = [
        *((r.file or "", r.at, r.to_json(), False) for r in answer.records),
        *((x.file or "", x.start, x.to_json(), True) for x in answer.lost),
    ]
    rows.sort(key=lambda row: row[:2])
    several_files = any(row[0] for row in rows)
    extra = list(answer.records[0].fields) if answer.records else []
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in (["file"] if several_files else []) + ["record", "at", "size", *extra]:
        table.add_column(name, justify="left" if name == "file" else "right")
    table.add_column("payload", overflow="ellipsis", no_wrap=True)
    number = 0
    for file, start, body, lost in rows:
        cells = [Text(file)] if several_files else []
        if lost:
            size = body["to"] - body["from"]
            cells += [Text("lost"), Text(str(start)), Text(str(size)), *(Text("") for _ in extra)]
            table.add_row(
                *cells, Text(body["reason"]), style="yellow" if answer.verdict == "torn" else "red"
            )
        else:
            cells += [Text(str(number)), Text(str(start)), Text(str(body["size"]))]
            cells += [Text(str(body.get(name, ""))) for name in extra]
            table.add_row(*cells, Text(payload_text(body, width=48)))
            number += 1
    if rows:
        console.print(table)
    lost_bytes = sum(gap.end - gap.start for gap in answer.lost)
    verdict = Text(answer.verdict, style=f"bold {VERDICT_STYLE[answer.verdict]}")
    if answer.reason:
        verdict.append(f" ({answer.reason})", style="not bold")
    summary = Text.assemble(
        f"{log}: {format_id}, ",
        verdict,
        f", {_count(len(answer.records), 'record')}",
        f", {_count(lost_bytes, 'byte')} lost" if lost_bytes else "",
    )
    console.print(summary, soft_wrap=True)
    if answer.verdict == "refused":
        return
    if answer.end is None:
        console.print("A writer must start a new file.")
    else:
        place = f"{answer.end} of {answer.end_file}" if answer.end_file else str(answer.end)
        console.print(f"A writer may resume at {place}.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
