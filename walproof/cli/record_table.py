"""Gather the records and lost ranges of a log, and print them as a table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from conformance.text import json_text, one_line
from reference_impl.answer import End, Event, Lost, Record
from walproof.cli.output import EXIT_STATUS, say
from walproof.cli.summary import progress
from walproof.log import Log
from walproof.log_summary import Meter, text_of
from walproof.quantity import counted
from walproof.quoted import cell_text, entry_text
from walproof.spool import Spool
from walproof.verdict import VERDICT_STYLE

#: A lost range has this text in the column of record numbers.
LOST = "lost"
#: Number of records after which progress is reported again.
EVERY = 1000
#: If all rows are printed, this many set the columns and their widths.
FIRST_ROWS = 1000
#: A log has this result until it is read.
END = End("refused", None, None)


@dataclass
class Gathered:
    """The first records and lost ranges of a log as table rows, and the totals.

    ``columns`` are the fields of the stored records.
    """

    stored: Spool = field(default_factory=Spool)
    columns: dict[str, None] = field(
        default_factory=lambda: dict.fromkeys(("record", "at", "size"))
    )
    record_count: int = 0
    lost_count: int = 0
    lost_bytes: int = 0
    last: Record | None = None
    end: End = END

    @property
    def rows(self) -> int:
        """Return the number of rows in a complete table."""
        return self.record_count + self.lost_count


@dataclass(frozen=True, slots=True)
class Passed:
    """A run of records that are counted but, except for the last one, not stored."""

    count: int
    last: Record


def gather(
    format_id: str,
    events: Iterable[Event | Passed],
    records: int | None = None,
    lost: int | None = None,
    table: Table | None = None,
) -> Gathered:
    """Read a log to its end, and store its first records and lost ranges as rows.

    At most ``records`` records and ``lost`` lost ranges are stored; None means no limit. ``table``
    prints the first :data:`FIRST_ROWS` rows as soon as they are stored, and then each row as it is
    read, instead of storing it. Fields that have no column by then follow the payload.
    """
    result = Gathered()

    def add(event: Record | Lost, cells: dict[str, str], text: str) -> None:
        columns = list(_columns(event)) if isinstance(event, Record) else []
        if table and table.has_begun:
            more = (f"{name}={cells[name]}" for name in columns if name not in result.columns)
            table.row(cells, "  ".join((text, *more)))
            return
        result.stored.add(event, (cells, text))
        result.columns |= dict.fromkeys(columns)
        if table and len(result.stored) == FIRST_ROWS:
            table.begin(result, has_more=True)

    for event in events:
        if isinstance(event, Passed):
            result.record_count += event.count
            result.last = event.last
        elif isinstance(event, Record):
            if records is None or result.record_count < records:
                cells = _cells(result.record_count, event)
                add(event, cells, one_line(_text(format_id, event)))
            result.record_count += 1
            result.last = event
        elif isinstance(event, Lost):
            result.lost_count += 1
            result.lost_bytes += event.end - event.start
            if lost is None or result.lost_count <= lost:
                size = event.end - event.start
                cells = {"record": LOST, "at": str(event.start), "size": str(size)}
                add(event, cells | _file(event), event.reason)
        else:
            result.end = event
    return result


def gather_log(
    log: Log,
    records: int | None = None,
    lost: int | None = None,
    table: Table | None = None,
) -> Gathered:
    """Call :func:`gather` with the events of a log; show a progress bar if the log is large."""
    with progress(log.size) as show:
        events = watched(few(log, records), log.readable, show)
        return gather(log.format, events, records, lost, table)


def few(log: Log, most: int | None) -> Iterator[Event | Passed]:
    """Yield the events of a log.

    After the first ``most`` records, a scanner only counts records.
    """
    if most is None or not log.is_read_by_scanner:
        yield from log.events()
        return
    from walproof.scanners.answers import in_full
    from walproof.scanners.model import Records

    for event in log.runs():
        if not isinstance(event, Records):
            yield event
            continue
        first = min(most, len(event))
        most -= first
        yield from in_full(log.format, [event.slice(0, first)] if first else [])
        if first < len(event):
            (last,) = in_full(log.format, [event.slice(len(event) - 1, len(event))])
            assert isinstance(last, Record)
            yield Passed(len(event) - first, last)


def watched(
    events: Iterable[Event | Passed], log: Path, progress: Callable[[int], None]
) -> Iterator[Event | Passed]:
    """Yield the events unchanged, and pass the number of bytes read to ``progress``."""
    meter = Meter(log, progress)
    for number, event in enumerate(events):
        if isinstance(event, Passed):
            meter.at(event.last.file, event.last.at + event.last.size)
        elif isinstance(event, Record) and number % EVERY == 0:
            meter.at(event.file, event.at + event.size)
        yield event


def for_each_record(log: Log, take: Callable[[Record], None]) -> int:
    """Call ``take`` with each record of a log, and return the exit status.

    Lost ranges are printed to standard error.
    """
    status = 0
    for event in log.events():
        if isinstance(event, Record):
            take(event)
        elif isinstance(event, Lost):
            place = f"{event.file}: " if event.file else ""
            say(f"lost: {place}bytes {event.start} to {event.end} ({event.reason})", err=True)
        elif isinstance(event, End):
            status = EXIT_STATUS[event.verdict]
            if event.verdict == "refused":
                say(f"{log.name}: refused ({event.reason})", err=True)
    return status


def print_summary(
    answer: Gathered, format_id: str, log: str, console: Console, resume: bool = True
) -> None:
    """Print the lines below the table.

    ``resume`` is false for a copy, because no writer will append to it.
    """
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


class Table:
    """Prints records and lost ranges as the rows of a table."""

    def __init__(self, console: Console, log_bytes: int) -> None:
        """Create the table of a log of ``log_bytes`` bytes, which sets the width of the numbers."""
        self._digits = len(str(log_bytes))
        self._room = console.width if console.is_terminal else sys.maxsize
        self._heads: list[str] = []
        self._row: Callable[..., str] = str

    @property
    def has_begun(self) -> bool:
        """True after the first rows were printed."""
        return bool(self._heads)

    def begin(self, answer: Gathered, most: int | None = None, has_more: bool = False) -> None:
        """Print the columns and the first ``most`` stored rows, in log order.

        If ``has_more``, the columns of numbers that grow leave room for the rows to come.
        """
        rows = [*islice(answer.stored.rows(), most)]
        if not rows:
            return
        self._heads = [*answer.columns]
        if answer.stored.has_names:
            self._heads.insert(0, "file")
        least = dict.fromkeys(("record", "at", "size"), self._digits if has_more else 0)
        widths = (
            max(len(head), least.get(head, 0), *(len(cells.get(head, "")) for cells, _ in rows))
            for head in self._heads
        )
        self._row = "  ".join(
            f"{{:{'<' if head == 'file' else '>'}{width}}}"
            for head, width in zip(self._heads, widths, strict=True)
        ).format
        self._print(self._heads, "payload")
        for cells, last in rows:
            self.row(cells, last, VERDICT_STYLE[answer.end.verdict])

    def row(self, cells: Mapping[str, str], last: str, style: str | None = None) -> None:
        """Print a row. A lost range has the colour ``style``."""
        is_lost = cells["record"] == LOST
        self._print((cells.get(head, "") for head in self._heads), last, style if is_lost else None)

    def _print(self, cells: Iterable[str], last: str, style: str | None = None) -> None:
        line = f"{self._row(*cells)}  {last}"
        line = line if len(line) <= self._room else f"{line[: self._room - 1]}…"
        if style is None:
            print(line)  # twenty times faster than click
        else:
            click.echo(click.style(line, fg=style))


def _columns(record: Record) -> Iterator[str]:
    """Yield the fields that become columns. Only ``--json`` shows nested values."""
    for name, value in record.fields.items():
        # The cursor repeats the values of other columns.
        if not isinstance(value, dict | list) and name != "cursor":
            yield name


def _cells(number: int, record: Record) -> dict[str, str]:
    cells = {"record": str(number), "at": str(record.at), "size": str(record.size)}
    for name, value in record.fields.items():
        if name not in ("cursor", "fields"):
            cells[name] = f"{value[:8]}…" if name == "boot_id" else cell_text(value)
    return cells | _file(record)


def _file(item: Record | Lost) -> dict[str, str]:
    return {} if item.file is None else {"file": one_line(item.file)}


def _text(format_id: str, record: Record) -> str:
    if "fields" in record.fields:
        return entry_text(record.fields["fields"])
    if "update" in record.fields:  # An update is more readable as JSON.
        return cell_text(record.fields["update"], 96)
    return text_of(format_id, record)
