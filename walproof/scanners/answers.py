"""Convert the events of a scanner to an answer, to compare it with the executable specification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from reference_impl.answer import Answer, Record, collect
from reference_impl.answer import Event as ReferenceEvent
from walproof.formats import plugin_for
from walproof.scanners import scanner
from walproof.scanners.model import Event, ReadableLog, Records, Wanted


def answer(format_id: str, events: Iterable[Event]) -> Answer:
    """Return the answer, with the fields of the executable specification."""
    return collect(_one_by_one(format_id, events))


def read(log: ReadableLog) -> Iterator[ReferenceEvent]:
    """Yield the events of a scanner in the form of ``Format.read`` in the profile ``recover``."""
    return in_full(log.format, scanner(log.format).scan(log, Wanted()))


def in_full(format_id: str, events: Iterable[Event | Record]) -> Iterator[ReferenceEvent]:
    """Yield the events of the executable specification, including fields without a column."""
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
    if run.payload is None or run.truncated is not None:
        raise ValueError("the records of an answer need complete payloads")
    columns = [column for column in plugin_for(format_id).columns if column.name in run.fields]
    values = [run.fields[column.name].to_pylist() for column in columns]
    for n, payload in enumerate(run.payload.to_pylist()):
        fields: dict[str, Any] = {}
        for column, of_run in zip(columns, values, strict=True):
            value, of_run[n] = of_run[n], None  # free long values early
            if value is not None:
                fields[column.name] = column.to_answer(value)
                del value
        yield Record(int(run.at[n]), int(run.size[n]), payload, fields, run.file)
