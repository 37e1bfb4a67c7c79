"""Convert a scanner's events to an answer that can be compared with other answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

from reference_impl.answer import Answer, Record, collect, payload_to_json
from reference_impl.answer import Event as ReferenceEvent
from walproof.formats import plugin_for
from walproof.scanners import scanner
from walproof.scanners.columns import ABSENT, Column
from walproof.scanners.model import Event, ReadableLog, Records, Wanted


def answer(format_id: str, events: Iterable[Event]) -> Answer:
    """Return an answer from a scanner, with all fields of the executable specification."""
    return collect(_one_by_one(format_id, events))


def read(log: ReadableLog) -> Iterator[ReferenceEvent]:
    """Yield a scanner's events as ``Format.read`` yields them in the profile ``recover``."""
    return in_full(log.format, scanner(log.format).scan(log, Wanted()))


def in_full(format_id: str, events: Iterable[Event | Record]) -> Iterator[ReferenceEvent]:
    """Yield events with single records, including the fields that have no column."""
    plugin = plugin_for(format_id)
    for event in _one_by_one(format_id, events):
        yield plugin.add_fields(event) if isinstance(event, Record) else event


def _one_by_one(format_id: str, events: Iterable[Event | Record]) -> Iterator[ReferenceEvent]:
    for event in events:
        if isinstance(event, Records):
            for run in event.pieces():
                yield from records(format_id, run)
        else:
            yield event


def records(format_id: str, run: Records) -> Iterator[Record]:
    """Yield the records of a run. Raises ``ValueError`` if payloads are missing or truncated."""
    for at, size, fields, payload in _rows(format_id, run):
        yield Record(at, size, payload, fields, run.file)


def json_records(format_id: str, run: Records) -> Iterator[dict[str, Any]]:
    """Yield the records of a run as JSON objects. Raises the errors of :func:`records`."""
    plugin = plugin_for(format_id)
    if plugin.adds_fields:
        yield from (plugin.add_fields(record).to_json() for record in records(format_id, run))
        return
    file = {} if run.file is None else {"file": run.file}
    for at, size, fields, payload in _rows(format_id, run):
        yield {**file, "at": at, "size": size, **fields, **payload_to_json(payload)}


def _rows(format_id: str, run: Records) -> Iterator[tuple[int, int, dict[str, Any], bytes]]:
    """Return the offset, size, fields and payload of each record in a run."""
    if run.payload is None or run.truncated is not None:
        raise ValueError("the records of an answer need complete payloads")
    columns = [column for column in plugin_for(format_id).columns if column.name in run.fields]
    fields = _fields(columns, run) if columns else repeat({}, len(run))
    return zip(run.at.tolist(), run.size.tolist(), fields, run.payload.to_pylist(), strict=True)


def _fields(columns: Sequence[Column], run: Records) -> Iterator[dict[str, Any]]:
    names = [column.name for column in columns]
    answers = [column.answers(run.fields[column.name]) for column in columns]
    # Convert records one at a time, because parsed values take much more memory than their text.
    for values in zip(*answers, strict=True):
        yield {
            name: value for name, value in zip(names, values, strict=True) if value is not ABSENT
        }
