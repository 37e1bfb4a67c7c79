"""The table of a log's records and lost ranges, for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.text import Text

from conformance.describe import payload_text
from conformance.text import json_text, one_line
from reference_impl.answer import End, Event, Lost, Record
from walproof.cli.output import say
from walproof.quantity import counted
from walproof.verdict import VERDICT_STYLE

END = End("refused", None, None)
"""Of a log that nobody has read yet."""


@dataclass
class Gathered:
    """The first records and lost ranges of a log, and how many there are."""

    records: list[Record] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    record_count: int = 0
    lost_count: int = 0
    lost_bytes: int = 0
    last: Record | None = None
    end: End = END

    @property
    def rows(self) -> int:
        """Rows of a table of all of them."""
        return self.record_count + self.lost_count


def gather(
    events: Iterable[Event], records: int | None = None, lost: int | None = None
) -> Gathered:
    """Run a reader to its end; keep the first ``records`` and ``lost`` ranges, None for all."""
    found = Gathered()
    for event in events:
        if isinstance(event, Record):
            found.record_count += 1
            found.last = event
            if records is None or found.record_count <= records:
                found.records.append(event)
        elif isinstance(event, Lost):
            found.lost_count += 1
            found.lost_bytes += event.end - event.start
            if lost is None or found.lost_count <= lost:
                found.lost.append(event)
        else:
            found.end = event
    return found


def print_summary(
    answer: Gathered, format_id: str, log: str, console: Console, resume: bool = True
) -> None:
    """What there is to say below the table. A copy is nothing that a writer can ``resume``."""
    end = answer.end
    verdict = Text(end.verdict, style=f"bold {VERDICT_STYLE[end.verdict]}")
    if end.reason:
        verdict.append(f" ({end.reason})", style="not bold")
    summary = Text.assemble(
        f"{one_line(log)}: {format_id}, ",
        verdict,
        f", {counted(answer.record_count, 'record')}",
        f", {counted(answer.lost_bytes, 'byte')} lost" if answer.lost_bytes else "",
    )
    console.print(summary, soft_wrap=True)
    if end.verdict == "refused":
        return
    if answer.last is not None and "state" in answer.last.fields:
        console.print(
            f"State: {json_text(answer.last.fields['state'])}", soft_wrap=True, markup=False
        )
    if not resume:
        return
    if end.end is None:
        console.print("A writer must start a new file.")
    else:
        place = f"{end.end} of {end.file}" if end.file else str(end.end)
        console.print(f"A writer may resume at {one_line(place)}.", soft_wrap=True, markup=False)


def _by_number(file: str) -> list[str | int]:
    """A key that sorts segment 10 after segment 9: text and numbers alternate."""
    parts = re.split(r"([0-9]+)", file)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def print_table(answer: Gathered, console: Console, most: int | None, total: int) -> None:
    """Records and lost ranges in the order of the log, the first ``most`` of ``total``.

    Plain columns, one line per row: a table library is too slow for a log of
    100,000 records.
    """
    places: list[tuple[str, int, int, Record | Lost]] = sorted(
        [
            *((r.file or "", r.at, number, r) for number, r in enumerate(answer.records)),
            *((gap.file or "", gap.start, -1, gap) for gap in answer.lost),
        ],
        key=lambda place: (_by_number(place[0]), *place[1:3]),
    )
    places = places[:most]
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
    lost_style = VERDICT_STYLE[answer.end.verdict]
    for cells, last, lost in [(heads, "payload", False), *rows]:
        line = "  ".join(
            cell.ljust(width) if head == "file" else cell.rjust(width)
            for head, cell, width in zip(heads, cells, widths, strict=True)
        )
        line = f"{line}  {last}"
        if len(line) > room:
            line = line[: room - 1] + "…"
        say(line, style=lost_style if lost else None)
    if total > len(places):
        say(f"… and {total - len(places):,} more")


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
