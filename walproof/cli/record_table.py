"""The table of a log's records and lost ranges, for people."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from conformance.describe import payload_text
from conformance.text import json_text, one_line
from reference_impl.answer import End, Event, Lost, Record
from walproof.cli.output import say
from walproof.quantity import counted
from walproof.quoted import cell_text, entry_text
from walproof.spool import Spool
from walproof.verdict import VERDICT_STYLE

AT_ONCE, HELD = 256, 1 << 17
"""Rows whose records are decoded together, and bytes of records from which on they are enough."""
END = End("refused", None, None)
"""Of a log that nobody has read yet."""


@dataclass
class Gathered:
    """The first records and lost ranges of a log, and how many there are.

    ``columns`` are the fields of the records that are kept.
    """

    kept: Spool = field(default_factory=Spool)
    columns: dict[str, None] = field(default_factory=dict)
    record_count: int = 0
    lost_count: int = 0
    lost_bytes: int = 0
    last: Record | None = None
    end: End = END

    @property
    def rows(self) -> int:
        """Rows of a table of all of them."""
        return self.record_count + self.lost_count


@dataclass(frozen=True, slots=True)
class Passed:
    """Records that are only counted, and the last of them."""

    count: int
    last: Record


def gather(
    events: Iterable[Event | Passed],
    records: int | None = None,
    lost: int | None = None,
    stop: int | None = None,
    count_lost: Callable[[Lost], int] = lambda gap: gap.end - gap.start,
) -> Gathered:
    """Run a reader to its end; keep the first ``records`` and ``lost`` ranges, None for all.

    When there are more rows than ``stop``, the rest is not read. ``count_lost`` counts the bytes of
    a lost range.
    """
    found = Gathered()
    for event in events:
        if stop is not None and found.rows > stop:
            break
        if isinstance(event, Passed):
            found.record_count += event.count
            found.last = event.last
        elif isinstance(event, Record):
            found.record_count += 1
            found.last = event
            if records is None or found.record_count <= records:
                found.kept.add(event)
                found.columns |= dict.fromkeys(_columns(event))
        elif isinstance(event, Lost):
            found.lost_count += 1
            found.lost_bytes += count_lost(event)
            if lost is None or found.lost_count <= lost:
                found.kept.add(event)
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


def print_table(
    answer: Gathered,
    format_id: str,
    console: Console,
    most: int | None,
    total: int,
    is_merged: bool = False,
) -> None:
    """Records and lost ranges in the order of the log, the first ``most`` of ``total``.

    If logs were merged (``is_merged``), they stay as they came, and the lost ranges come last.

    A record is said in words if it is decoded; else its payload is shown. Plain columns, one line
    per row: a table library is too slow for a log of 100,000 records.
    """
    order = None if is_merged else _by_number
    heads = ["record", "at", "size", *answer.columns]
    if answer.kept.has_names:
        heads.insert(0, "file")
    widths = [len(head) for head in heads]
    shown = 0
    for number, item in answer.kept.rows(order, most):
        cells = _cells(number, item, heads)
        widths = [max(width, len(cell)) for width, cell in zip(widths, cells, strict=True)]
        shown += 1
    if not shown:
        return
    room = console.width if console.is_terminal else 1 << 16
    _print_row(heads, "payload", heads, widths, room)
    lost_style = VERDICT_STYLE[answer.end.verdict]
    rows = answer.kept.rows(order, most)
    for piece in pieces(rows):
        for (number, item), last in zip(piece, _lasts(format_id, piece), strict=True):
            style = lost_style if isinstance(item, Lost) else None
            _print_row(_cells(number, item, heads), last, heads, widths, room, style)
    if total > shown:
        say(f"… and {total - shown:,} more")


def pieces(
    rows: Iterable[tuple[int, Record | Lost]],
) -> Iterator[list[tuple[int, Record | Lost]]]:
    """The rows in pieces, of which each is held: what its records say is made of all together.

    A record with a value of its own, which may be a hundred times as large, is the last of a piece.
    """
    piece: list[tuple[int, Record | Lost]] = []
    held = 0
    for row in rows:
        piece.append(row)
        if isinstance(row[1], Record):
            held += row[1].size if _is_plain(row[1]) else HELD
        if len(piece) == AT_ONCE or held >= HELD:
            yield piece
            piece, held = [], 0
    if piece:
        yield piece


def _print_row(
    cells: Sequence[str],
    last: str,
    heads: Sequence[str],
    widths: Sequence[int],
    room: int,
    style: str | None = None,
) -> None:
    line = "  ".join(
        cell.ljust(width) if head == "file" else cell.rjust(width)
        for head, cell, width in zip(heads, cells, widths, strict=True)
    )
    line = f"{line}  {last}"
    say(line if len(line) <= room else f"{line[: room - 1]}…", style=style)


def _columns(record: Record) -> Iterator[str]:
    """The fields that a table shows: numbers and names. What has parts of its own is for --json."""
    for name, value in record.fields.items():
        if not isinstance(value, dict | list) and name != "cursor":  # it repeats the others
            yield name


def _cells(number: int, item: Record | Lost, heads: Sequence[str]) -> list[str]:
    """The cells of a row under ``heads``."""
    if isinstance(item, Lost):
        known = {"record": "lost", "at": item.start, "size": item.end - item.start}
    else:
        known = {"record": number, "at": item.at, "size": item.size, **item.fields}
        if "boot_id" in item.fields:
            known["boot_id"] = f"{item.fields['boot_id'][:8]}…"
    return [
        one_line(item.file or "") if head == "file" else cell_text(known.get(head, ""))
        for head in heads
    ]


def _lasts(format_id: str, piece: Sequence[tuple[int, Record | Lost]]) -> list[str]:
    """What follows the cells of some rows."""
    plain = [item for _, item in piece if isinstance(item, Record) and _is_plain(item)]
    said = dict(zip(map(id, plain), _meanings(format_id, plain), strict=True))
    return [one_line(_text_of(item, *said.get(id(item), (None, None)))) for _, item in piece]


def _text_of(item: Record | Lost, text: str | None, fault: str | None) -> str:
    if text is not None:
        return text
    return _last(item) if fault is None else f"{_last(item)}  ({fault})"


def _is_plain(record: Record) -> bool:
    """Whether nothing but its payload says what a record means."""
    return "fields" not in record.fields and "update" not in record.fields


def _meanings(format_id: str, records: Sequence[Record]) -> list[tuple[str | None, str | None]]:
    try:
        from walproof.summary.meaning import meanings
    except ModuleNotFoundError:  # no numpy or pyarrow: payloads are shown as they are
        return [(None, None)] * len(records)
    return meanings(format_id, records)


def _last(item: Record | Lost) -> str:
    """What follows the cells of a row that is not decoded."""
    if isinstance(item, Lost):
        return item.reason
    if "fields" in item.fields:
        return entry_text(item.fields["fields"])
    # An update of a state file says more as JSON than as bytes.
    update = item.fields.get("update")
    return payload_text(item.to_json(), width=48) if update is None else cell_text(update, 96)
