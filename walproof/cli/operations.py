"""``walproof read --operations`` and ``--pending``: decoded operations and their result."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.text import json_pieces, json_text, one_line
from reference_impl.answer import End, Event, Lost, Record
from walproof import decode
from walproof.cli.conditions import Condition
from walproof.cli.output import EXIT_STATUS, say, say_json
from walproof.decode.operations import Operations, Row, with_text
from walproof.decode.pending import Pending, Waiting
from walproof.formats import plugin_for
from walproof.quantity import counted, moment

#: Bytes of output that are buffered; rows of larger records are not.
MAX_BYTES = 1 << 17
#: Fault of a record without content.
NO_CONTENT = "not decoded: unknown type of record"
PLACE = ("file", "at")
FAULT = ("fault", "payload")


@dataclass(frozen=True)
class Decoded:
    """A record and its decoded struct, or the reason why decoding failed."""

    record: Record
    value: Mapping[str, Any] | None
    fault: str | None = None


def decoded_events(format_id: str, events: Iterable[Event]) -> Iterator[Decoded | Lost | End]:
    """Yield the events of a log with its records decoded."""
    for event in events:
        if not isinstance(event, Record):
            yield event
            continue
        row = decode.row_of(format_id, event, sys.maxsize)
        value, fault = decode.decode_row(format_id, row)
        yield Decoded(event, value, fault or (None if value is not None else NO_CONTENT))


def _rows(format_id: str, operations: Operations, decoded: Decoded) -> Iterator[Row]:
    """Yield the operations of a record, or one row with its payload if decoding failed."""
    columns = {column.name for column in plugin_for(format_id).columns}
    fields = {name: value for name, value in decoded.record.fields.items() if name in columns}
    place: Row = {"file": decoded.record.file, "at": decoded.record.at}
    place |= {name: fields[name] for name in operations.FIELDS if name in fields}
    operations.take(decoded.record)
    if decoded.value is None:
        yield place | {"fault": decoded.fault, "payload": decoded.record.payload}
        return
    for row in operations.rows(decoded.value, fields):
        yield place | row


def print_operations(
    format_id: str,
    operations: Operations,
    events: Iterable[Event],
    name: str,
    as_csv: bool,
    conditions: Sequence[Condition],
    most: int | None,
) -> int:
    """Print up to ``most`` operations that meet all conditions; return the exit status.

    ``name`` is the name of the log in messages. Lost ranges are printed to standard error.
    """
    heads = _heads(format_id, operations)
    out = _Lines()
    if as_csv:
        out.add_csv(heads)
    printed = 0
    try:
        for event in decoded_events(format_id, events):
            if isinstance(event, Lost):
                out.flush()
                _report_lost(event)
            elif isinstance(event, End):
                return _status(event, name)
            elif printed != most:  # later lost ranges are still reported
                for operation in _rows(format_id, operations, event):
                    row = {
                        name: with_text(value)
                        for name, value in operation.items()
                        if value is not None
                    }
                    if printed == most or not all(each.holds(row) for each in conditions):
                        continue
                    ordered = {head: row[head] for head in heads if head in row}
                    assert len(ordered) == len(row), row.keys() - ordered.keys()
                    if as_csv:
                        out.add_csv([_cell(ordered.get(head)) for head in heads])
                    else:
                        out.add_json(ordered, event.record.size)
                    printed += 1
    finally:
        out.flush()
    raise AssertionError("an answer has an end")


def print_pending(
    format_id: str, pending: Pending, events: Iterable[Event], name: str, as_lines: bool
) -> int:
    """Print the messages that are pending at the end of a log; return the exit status.

    The lost ranges and the number of records that could not be decoded are printed to standard
    error.
    """
    unknown = 0
    status = 0
    for event in decoded_events(format_id, events):
        if isinstance(event, Lost):
            _report_lost(event)
        elif isinstance(event, End):
            status = _status(event, name)
        elif event.value is None:
            unknown += 1
        else:
            pending.take(event.record, event.value)
    if unknown:
        say(f"{name}: {counted(unknown, 'record')} cannot be decoded", err=True)
    waiting = list(pending.waiting())
    if status == EXIT_STATUS["refused"]:
        return status
    if as_lines:
        for item in waiting:
            say_json(item.to_json())
        return status
    heads = ("destination", "subscription", "count", "oldest", "newest", "files")
    cells = [heads, *(_pending_cells(item) for item in waiting)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(heads) - 1)]
    for row in cells if waiting else ():
        line = "  ".join(
            cell.rjust(width) if n == 2 else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=False))
        )
        say(f"{line}  {row[-1]}")
    files = {file for item in waiting for file in item.files}
    pinned = (
        f"pending messages pin {counted(len(files), 'file')}" if waiting else "no pending messages"
    )
    say(f"{name}: {pinned}")
    return status


def _pending_cells(item: Waiting) -> tuple[str, ...]:
    times = ["" if time is None else moment(time * 1000) for time in (item.first, item.last)]
    files = ", ".join(
        f"{file} ({count:,})" for file, count in sorted(item.files.items(), key=_name)
    )
    return one_line(item.place), one_line(item.subscription or ""), f"{item.count:,}", *times, files


def _name(pair: tuple[str, int]) -> tuple[int, str]:
    """Sort db-10.log after db-9.log."""
    return len(pair[0]), pair[0]


def _status(end: End, name: str) -> int:
    if end.verdict == "refused":
        say(f"{name}: refused ({end.reason})", err=True)
    return EXIT_STATUS[end.verdict]


def _report_lost(lost: Lost) -> None:
    place = f"{lost.file}: " if lost.file else ""
    say(f"lost: {place}bytes {lost.start} to {lost.end} ({lost.reason})", err=True)


def _heads(format_id: str, operations: Operations) -> list[str]:
    """Return the names of all columns, in order."""
    names = operations.COLUMNS
    if names is None:
        plugin = plugin_for(format_id)
        struct = plugin.decoder.TYPE
        members = struct if isinstance(struct, Mapping) else ()
        names = [*(column.name for column in plugin.columns), *members]
    return list(dict.fromkeys([*PLACE, *operations.FIELDS, *names, *FAULT]))


class _Lines:
    """A buffer of lines for standard output."""

    def __init__(self) -> None:
        self._text = io.StringIO()
        self._csv = csv.writer(self._text, lineterminator="\n")

    def add_csv(self, cells: Sequence[str]) -> None:
        """Add a row of CSV."""
        self._csv.writerow(cells)
        self._flush_if_long()

    def add_json(self, row: Row, size: int) -> None:
        """Add a row as JSON. Rows of records above :data:`MAX_BYTES` are not buffered."""
        if size > MAX_BYTES:
            self.flush()
            for piece in json_pieces(row):
                sys.stdout.write(piece)
        else:
            self._text.write(json_text(row))
        self._text.write("\n")
        self._flush_if_long()

    def _flush_if_long(self) -> None:
        if self._text.tell() >= MAX_BYTES or sys.stdout.isatty():
            self.flush()

    def flush(self) -> None:
        """Write the buffered lines."""
        sys.stdout.write(self._text.getvalue())
        self._text.seek(0)
        self._text.truncate()


def _cell(value: Any) -> str:
    """Return text as one line with control characters escaped, and other values as JSON."""
    if value is None:
        return ""
    return one_line(value) if isinstance(value, str) else json_text(value)
