"""Print a table of the records and lost ranges of a log."""

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
from walproof.summary.records import meanings
from walproof.verdict import VERDICT_STYLE

#: Limits of a batch for decoding: rows, and bytes of records.
AT_ONCE, HELD = 256, 1 << 17
#: Placeholder for a log that has not been read yet.
END = End("refused", None, None)


@dataclass
class Gathered:
    """The first records and lost ranges of a log, and the totals.

    ``columns`` are the fields of the stored records.
    """

    stored: Spool = field(default_factory=Spool)
    columns: dict[str, None] = field(default_factory=dict)
    record_count: int = 0
    lost_count: int = 0
    lost_bytes: int = 0
    last: Record | None = None
    end: End = END

    @property
    def rows(self) -> int:
        """Return the number of rows of a complete table."""
        return self.record_count + self.lost_count


@dataclass(frozen=True, slots=True)
class Passed:
    """A number of records that are only counted, and the last of them."""

    count: int
    last: Record


def gather(
    events: Iterable[Event | Passed],
    records: int | None = None,
    lost: int | None = None,
    stop: int | None = None,
    count_lost: Callable[[Lost], int] = lambda gap: gap.end - gap.start,
) -> Gathered:
    """Read a log to its end, and keep the first ``records`` records and ``lost`` lost ranges.

    A limit of None keeps all of them. Reading stops after ``stop`` rows. ``count_lost`` is called
    with each lost range to count its bytes.
    """
    result = Gathered()
    for event in events:
        if stop is not None and result.rows > stop:
            break
        if isinstance(event, Passed):
            result.record_count += event.count
            result.last = event.last
        elif isinstance(event, Record):
            result.record_count += 1
            result.last = event
            if records is None or result.record_count <= records:
                result.stored.add(event)
                result.columns |= dict.fromkeys(_columns(event))
        elif isinstance(event, Lost):
            result.lost_count += 1
            result.lost_bytes += count_lost(event)
            if lost is None or result.lost_count <= lost:
                result.stored.add(event)
        else:
            result.end = event
    return result


def print_summary(
    answer: Gathered, format_id: str, log: str, console: Console, resume: bool = True
) -> None:
    """Print the lines below the table. ``resume`` is false for a copy, which no writer uses."""
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
        console.print("Not safe to append: start a new file.")
    else:
        place = f"{end.end} of {end.file}" if end.file else str(end.end)
        console.print(f"Safe to append at offset {one_line(place)}.", soft_wrap=True, markup=False)


def _by_number(file: str) -> list[str | int]:
    """Return a key that sorts segment 10 after segment 9: text and numbers alternate."""
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
    """Print the first ``most`` of ``total`` records and lost ranges, in log order.

    If ``is_merged`` is true, several logs were merged: records keep their order, and the lost
    ranges come last. Decoded records are described in words; for other records, the payload is
    shown. Each row is one line with plain columns, because a table library is too slow for 100,000
    records.
    """
    order = None if is_merged else _by_number
    heads = ["record", "at", "size", *answer.columns]
    if answer.stored.has_names:
        heads.insert(0, "file")
    widths = [len(head) for head in heads]
    shown = 0
    for number, item in answer.stored.rows(order, most):
        cells = _cells(number, item, heads)
        widths = [max(width, len(cell)) for width, cell in zip(widths, cells, strict=True)]
        shown += 1
    if not shown:
        return
    room = console.width if console.is_terminal else 1 << 16
    _print_row(heads, "payload", heads, widths, room)
    lost_style = VERDICT_STYLE[answer.end.verdict]
    rows = answer.stored.rows(order, most)
    for piece in pieces(rows):
        for (number, item), last in zip(piece, _lasts(format_id, piece), strict=True):
            style = lost_style if isinstance(item, Lost) else None
            _print_row(_cells(number, item, heads), last, heads, widths, room, style)
    if total > shown:
        say(f"… and {total - shown:,} more")


def pieces(
    rows: Iterable[tuple[int, Record | Lost]],
) -> Iterator[list[tuple[int, Record | Lost]]]:
    """Divide rows into batches whose records are decoded together.

    A record ends its batch if its decoded value is large. Decoded values can be a hundred times as
    large as their records.
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
    """Return the columns of a table: numbers and names. Only ``--json`` has nested values."""
    for name, value in record.fields.items():
        if not isinstance(value, dict | list) and name != "cursor":  # it repeats other columns
            yield name


def _cells(number: int, item: Record | Lost, heads: Sequence[str]) -> list[str]:
    """Return the cells of a row for the columns ``heads``."""
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
    """Return the last column of some rows."""
    plain = [item for _, item in piece if isinstance(item, Record) and _is_plain(item)]
    message = dict(zip(map(id, plain), meanings(format_id, plain), strict=True))
    return [one_line(_text_of(item, *message.get(id(item), (None, None)))) for _, item in piece]


def _text_of(item: Record | Lost, text: str | None, fault: str | None) -> str:
    if text is not None:
        return text
    return _last(item) if fault is None else f"{_last(item)}  ({fault})"


def _is_plain(record: Record) -> bool:
    """Return whether only the payload describes a record."""
    return "fields" not in record.fields and "update" not in record.fields


def _last(item: Record | Lost) -> str:
    """Return the last column of a row that is not decoded."""
    if isinstance(item, Lost):
        return item.reason
    if "fields" in item.fields:
        return entry_text(item.fields["fields"])
    # An update of a state file is more readable as JSON.
    update = item.fields.get("update")
    return payload_text(item.to_json(), width=48) if update is None else cell_text(update, 96)
