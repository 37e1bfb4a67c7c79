"""``walproof read --operations``: a line for each operation that the records of a log hold."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from conformance.text import json_pieces, json_text, one_line
from reference_impl.answer import End, Event, Lost, Record
from walproof.cli.conditions import Condition
from walproof.cli.output import EXIT_STATUS, say
from walproof.decode.fault import Undecodable
from walproof.decode.operations import Operations, Row, with_text
from walproof.formats import plugin_for
from walproof.scan.model import Wanted
from walproof.scan.reference import ReferenceScanner

#: Records and bytes of them that are decoded together.
MAX_RECORDS, MAX_BYTES = 256, 1 << 17
PLACE = ("file", "at")
FAULT = ("fault", "payload")


def operation_rows(
    format_id: str, operations: Operations, events: Iterable[Event]
) -> Iterator[Row | Lost | End]:
    """Yield a row for each operation, and the lost ranges and the end between them.

    A record that cannot be decoded is a row with ``fault`` and its ``payload``.
    """
    held: list[Record] = []
    size = 0
    for event in events:
        is_record = isinstance(event, Record)
        if held and (not is_record or event.file != held[0].file):
            yield from _rows(format_id, operations, held)
            held, size = [], 0
        if not isinstance(event, Record):
            yield event
            continue
        held.append(event)
        size += event.size
        if len(held) == MAX_RECORDS or size >= MAX_BYTES:
            yield from _rows(format_id, operations, held)
            held, size = [], 0


def _rows(format_id: str, operations: Operations, records: Sequence[Record]) -> Iterator[Row]:
    run = ReferenceScanner(format_id).in_columns(records, Wanted())
    decoders = plugin_for(format_id).decoder.decoders(run, ())
    columns = {column.name for column in plugin_for(format_id).columns}
    for record, decode in zip(records, decoders, strict=True):
        fields = {name: value for name, value in record.fields.items() if name in columns}
        place: Row = {"file": record.file, "at": record.at}
        place |= {name: fields[name] for name in operations.FIELDS if name in fields}
        try:
            value = decode()
            if value is None:
                raise Undecodable("no meaning is known")
            for row in operations.rows(value, fields):
                yield place | row
        except Undecodable as fault:
            yield place | {"fault": f"not decoded: {fault}", "payload": record.payload}


def print_operations(
    format_id: str,
    operations: Operations,
    events: Iterable[Event],
    as_csv: bool,
    conditions: Sequence[Condition],
    most: int | None,
) -> int:
    """Print the operations that meet all conditions, ``most`` of them; return the exit status.

    Lost ranges go to standard error.
    """
    heads = _heads(format_id, operations)
    if as_csv:
        _write_csv(heads)
    printed = 0
    for event in operation_rows(format_id, operations, events):
        if isinstance(event, Lost):
            place = f"{event.file}: " if event.file else ""
            say(f"lost: {place}bytes {event.start} to {event.end} ({event.reason})", err=True)
        elif isinstance(event, End):
            return EXIT_STATUS[event.verdict]
        elif printed != most:  # what is lost later is still reported
            row = {name: with_text(one) for name, one in event.items() if one is not None}
            if all(condition.holds(row) for condition in conditions):
                ordered = {head: row[head] for head in heads if head in row}
                assert len(ordered) == len(row), row.keys() - ordered.keys()
                if as_csv:
                    _write_csv(_cell(ordered.get(head)) for head in heads)
                else:
                    _write_json(ordered)
                printed += 1
    raise AssertionError("an answer has an end")


def _heads(format_id: str, operations: Operations) -> list[str]:
    """The names of all members of a row, in order."""
    names = operations.COLUMNS
    if names is None:
        plugin = plugin_for(format_id)
        struct = plugin.decoder.type_of(())
        members = [field.name for field in struct] if pa.types.is_struct(struct) else []
        names = [*(column.name for column in plugin.columns), *members]
    return list(dict.fromkeys([*PLACE, *operations.FIELDS, *names, *FAULT]))


def _write_json(row: Row) -> None:
    for piece in json_pieces(row):
        sys.stdout.write(piece)
    sys.stdout.write("\n")


def _write_csv(cells: Iterable[str]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    sys.stdout.write(text.getvalue())


def _cell(value: Any) -> str:
    """A text on one line, as it is safe to show; anything else as JSON."""
    if value is None:
        return ""
    return one_line(value) if isinstance(value, str) else json_text(value)
