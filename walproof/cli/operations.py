"""``walproof read --operations`` and ``--pending``: decoded operations and their result."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import click

from conformance.text import json_text, one_line
from reference_impl.answer import Event, Record
from walproof import decode
from walproof.cli.conditions import Condition
from walproof.cli.opening import Opened
from walproof.cli.output import EXIT_STATUS, say, say_json
from walproof.cli.record_table import Passed, for_each_record
from walproof.decode.operations import Operations, Row, with_text
from walproof.decode.pending import Waiting
from walproof.formats import plugin_for
from walproof.quantity import counted, moment
from walproof.quoted import aligned

PLACE = ("file", "at")
FAULT = ("fault", "payload")


def _decoded(format_id: str, record: Record) -> tuple[Mapping[str, Any] | None, str | None]:
    """Return the decoded struct of a record, or the reason why there is none."""
    row = decode.row_of(format_id, record, sys.maxsize)
    value, fault = decode.decode_row(format_id, row)
    if value is None and fault is None:
        fault = "not decoded: unknown type of record"
    return value, fault


def _rows(format_id: str, operations: Operations, record: Record) -> Iterator[Row]:
    """Yield the operations of a record, or one row with its payload if decoding failed."""
    columns = {column.name for column in plugin_for(format_id).columns}
    fields = {name: value for name, value in record.fields.items() if name in columns}
    place: Row = {"file": record.file, "at": record.at}
    place |= {name: fields[name] for name in operations.FIELDS if name in fields}
    value, fault = _decoded(format_id, record)
    operations.take(record)
    if value is None:
        yield place | {"fault": fault, "payload": record.payload}
        return
    for row in operations.rows(value, fields):
        yield place | row


def print_operations(
    source: Opened,
    events: Iterable[Event | Passed],
    as_csv: bool,
    conditions: Sequence[Condition],
) -> int:
    """Print the operations that meet all conditions; return the exit status."""
    format_id = source.format.id
    operations = plugin_for(format_id).operations(source.path)
    heads = _heads(format_id, operations)
    table = csv.writer(sys.stdout, lineterminator="\n")
    if as_csv:
        table.writerow(heads)

    def take(record: Record) -> None:
        for operation in _rows(format_id, operations, record):
            row = {name: with_text(value) for name, value in operation.items() if value is not None}
            assert row.keys() <= set(heads), row.keys() - set(heads)
            if not all(each.holds(row) for each in conditions):
                continue
            if as_csv:
                table.writerow([_cell(row.get(head)) for head in heads])
            else:
                ordered = {head: row[head] for head in heads if head in row}
                sys.stdout.write(f"{json_text(ordered)}\n")

    return for_each_record(events, source.name, take)


def print_pending(source: Opened, events: Iterable[Event | Passed], as_lines: bool) -> int:
    """Print the messages that are pending at the end of a log; return the exit status."""
    plugin = plugin_for(source.format.id)
    if plugin.pending is None:
        raise click.UsageError(f"--pending: expected a broker's store, found {source.format.id}")
    pending = plugin.pending()
    unknown = 0

    def take(record: Record) -> None:
        nonlocal unknown
        value, _ = _decoded(source.format.id, record)
        if value is None:
            unknown += 1
        else:
            pending.take(record, value)

    status = for_each_record(events, source.name, take)
    if unknown:
        say(f"{source.name}: {counted(unknown, 'record')} cannot be decoded", err=True)
    if status == EXIT_STATUS["refused"]:
        return status
    waiting = list(pending.waiting())
    if as_lines:
        for item in waiting:
            say_json(item.to_json())
        return status
    if not waiting:
        say(f"{source.name}: no pending messages")
        return status
    heads = ("destination", "subscription", "count", "oldest", "newest", "files")
    for line in aligned([heads, *map(_pending_cells, waiting)], right=(2,)):
        say(line)
    files = {file for item in waiting for file in item.files}
    say(f"{source.name}: pending messages pin {counted(len(files), 'file')}")
    return status


def _pending_cells(item: Waiting) -> tuple[str, ...]:
    times = ["" if time is None else moment(time * 1000) for time in (item.first, item.last)]
    # Sort short names first, so that db-9.log comes before db-10.log.
    by_number = sorted(item.files.items(), key=lambda pair: (len(pair[0]), pair[0]))
    files = ", ".join(f"{file} ({count:,})" for file, count in by_number)
    return one_line(item.place), one_line(item.subscription or ""), f"{item.count:,}", *times, files


def _heads(format_id: str, operations: Operations) -> list[str]:
    names = operations.COLUMNS
    if names is None:
        plugin = plugin_for(format_id)
        struct = plugin.decoder.TYPE
        members = struct if isinstance(struct, Mapping) else ()
        names = [*(column.name for column in plugin.columns), *members]
    return list(dict.fromkeys([*PLACE, *operations.FIELDS, *names, *FAULT]))


def _cell(value: Any) -> str:
    """Return text as one line with control characters escaped, and other values as JSON."""
    if value is None:
        return ""
    return one_line(value) if isinstance(value, str) else json_text(value)
