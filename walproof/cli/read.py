"""``walproof read``: the answer about one log."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from conformance.describe import payload_text
from conformance.text import json_text, one_line
from reference_impl.answer import Answer, End, Event, Lost, Record, collect, end_to_json
from reference_impl.formats import Context, UnknownFormat, detect, named
from walproof.cli.context import context_of
from walproof.cli.output import say, say_json

EXIT_STATUS = {"intact": 0, "torn": 3, "damaged": 3, "refused": 4}
VERDICT_STYLE = {"intact": "green", "torn": "yellow", "damaged": "red", "refused": "magenta"}


@click.command()
@click.argument("log", metavar="FILE", type=click.Path(path_type=Path))
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
@click.option("--fast", is_flag=True, help="Read with the bulk scanner: the same answer, faster.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@click.option("--jsonl", "as_lines", is_flag=True, help="Print one object per line, as they come.")
def read(
    log: Path,
    format_id: str | None,
    profile: str,
    context_items: tuple[str, ...],
    fast: bool,
    as_json: bool,
    as_lines: bool,
) -> int:
    """Read a log: its records, what is lost and why, and where a writer may resume.

    The log is never changed. --jsonl keeps memory constant, whatever the size of the log: it
    prints {"record": …} and {"lost": …} as they are found, then one {"end": …}.

    \b
    walproof read 000003.log
    walproof read 000003.log --json | jq .lost
    walproof read --fast --jsonl 000003.log

    Exit status: 0 intact, 3 torn or damaged, 4 refused, 1 for a usage or I/O error.
    """
    if as_json and as_lines:
        raise click.UsageError("--json and --jsonl exclude each other")
    if fast and profile != "recover":
        raise click.UsageError(
            "--fast and --profile strict exclude each other: the bulk scanners know no stop at the"
            " first damage, they keep all that is provably whole"
        )
    try:
        format = named(format_id) if format_id else detect(log)
        context = context_of(context_items, format.id)
        scan = bulk_scanner() if fast else None
        events = scan(format.id, log, context) if scan else format.read(log, profile, context)
        if as_lines:
            return EXIT_STATUS[_print_lines(events).verdict]
        answer = collect(events)
    except UnknownFormat as error:
        if format_id:
            raise click.ClickException(str(error)) from None
        say(f"Error: {error}", err=True)
        return EXIT_STATUS["refused"]
    except BrokenPipeError:
        raise  # `| head` has read enough; the log is not at fault
    except OSError as error:
        raise click.ClickException(f"{log}: {error.strerror or error}") from None
    except ValueError as error:  # a --context that the format does not understand
        raise click.ClickException(str(error)) from None
    if as_json:
        say_json(answer.to_json(), indent=1)
    else:
        print_answer(answer, format.id, log, Console())
    return EXIT_STATUS[answer.verdict]


def bulk_scanner() -> Callable[[str, Path, Context], Iterator[Event]]:
    """The answer from the bulk scanners. Raises ``ClickException`` if they are not installed."""
    try:
        from walproof.scan.answers import read
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"--fast needs {error.name}, which is not here: pip install 'walproof[fast]'"
        ) from None
    return read


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
        sys.stdout.write(json_text(line) + "\n")
    assert isinstance(last, End)
    return last


def print_answer(answer: Answer, format_id: str, log: Path, console: Console) -> None:
    """The answer as a table: records and lost ranges in the order of the log."""
    _print_table(answer, console)
    lost_bytes = sum(gap.end - gap.start for gap in answer.lost)
    verdict = Text(answer.verdict, style=f"bold {VERDICT_STYLE[answer.verdict]}")
    if answer.reason:
        verdict.append(f" ({answer.reason})", style="not bold")
    summary = Text.assemble(
        f"{one_line(str(log))}: {format_id}, ",
        verdict,
        f", {count(len(answer.records), 'record')}",
        f", {count(lost_bytes, 'byte')} lost" if lost_bytes else "",
    )
    console.print(summary, soft_wrap=True)
    if answer.verdict == "refused":
        return
    if answer.records and "state" in (last := answer.records[-1]).fields:
        console.print(f"State: {json_text(last.fields['state'])}", soft_wrap=True, markup=False)
    if answer.end is None:
        console.print("A writer must start a new file.")
    else:
        place = f"{answer.end} of {answer.end_file}" if answer.end_file else str(answer.end)
        console.print(f"A writer may resume at {one_line(place)}.", soft_wrap=True, markup=False)


def _by_number(file: str) -> list[str | int]:
    """A key that sorts segment 10 after segment 9: text and numbers alternate."""
    parts = re.split(r"([0-9]+)", file)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def _print_table(answer: Answer, console: Console) -> None:
    """Plain columns, one line per row: a table library is too slow for a log of 100,000 records."""
    places: list[tuple[str, int, int, Record | Lost]] = sorted(
        [
            *((r.file or "", r.at, number, r) for number, r in enumerate(answer.records)),
            *((gap.file or "", gap.start, -1, gap) for gap in answer.lost),
        ],
        key=lambda place: (_by_number(place[0]), *place[1:3]),
    )
    if not places:
        return
    # What has parts of its own is for --json: a table shows numbers and names.
    fields = dict.fromkeys(
        name
        for record in answer.records
        for name, value in record.fields.items()
        if not isinstance(value, dict | list) and name != "cursor"  # it repeats the others
    )
    heads = ["record", "at", "size", *fields]
    if any(place[0] for place in places):
        heads.insert(0, "file")
    rows = [_row(place[2], place[3], heads) for place in places]
    widths = [max(len(row[0][n]) for row in [(heads, "", False), *rows]) for n in range(len(heads))]
    room = console.width if console.is_terminal else 1 << 16
    lost_style = VERDICT_STYLE[answer.verdict]
    for cells, last, lost in [(heads, "payload", False), *rows]:
        line = "  ".join(
            cell.ljust(width) if head == "file" else cell.rjust(width)
            for head, cell, width in zip(heads, cells, widths, strict=True)
        )
        line = f"{line}  {last}"
        if len(line) > room:
            line = line[: room - 1] + "…"
        say(line, style=lost_style if lost else None)


def _row(number: int, item: Record | Lost, heads: list[str]) -> tuple[list[str], str, bool]:
    """The cells under ``heads``, what follows them, and whether the row is a lost range."""
    if isinstance(item, Lost):
        known = {"record": "lost", "at": item.start, "size": item.end - item.start}
        last = item.reason
    else:
        known = {"record": number, "at": item.at, "size": item.size, **item.fields}
        if "boot_id" in item.fields:
            known["boot_id"] = f"{item.fields['boot_id'][:8]}…"
        # An update of a state file says more as JSON than as bytes.
        update = item.fields.get("update")
        if "fields" in item.fields:
            last = entry_text(item.fields["fields"])
        else:
            last = payload_text(item.to_json(), width=48) if update is None else _cell(update, 96)
    cells = [
        one_line(item.file or "") if head == "file" else _cell(known.get(head, ""))
        for head in heads
    ]
    return cells, last, isinstance(item, Lost)


def entry_text(fields: list[list[Any]]) -> str:
    """The fields of a journal entry in a line, its message first; the boot has a column."""
    shown = [
        f"{name}={_cell(value, 80)}"
        for name, value in sorted(fields, key=lambda field: field[0] != "MESSAGE")
        if name != "_BOOT_ID"
    ]
    return one_line("  ".join(shown))


def _cell(value: Any, width: int = 32) -> str:
    text = one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= width else text[: width - 1] + "…"


def count(number: int, noun: str) -> str:
    """``1 record``, ``2 records``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
