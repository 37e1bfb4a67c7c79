"""From a scanner's events back to an answer: how a twin is compared with the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pyspark_journal.scan.columns import COLUMNS
from pyspark_journal.scan.model import Event, Records
from reference_impl.answer import Answer, Record, collect
from reference_impl.answer import Event as ReferenceEvent


def answer(format_id: str, events: Iterable[Event]) -> Answer:
    """The answer, with the fields that the reference reader would give."""
    return collect(_one_by_one(format_id, events))


def _one_by_one(format_id: str, events: Iterable[Event]) -> Iterator[ReferenceEvent]:
    for event in events:
        if isinstance(event, Records):
            yield from records(format_id, event)
        else:
            yield event


def records(format_id: str, run: Records) -> Iterator[Record]:
    """The records of a run. Raises ``ValueError`` when it has no payloads, or cut ones."""
    if run.payload is None or run.truncated is not None:
        raise ValueError("a record of an answer has its whole payload")
    columns = [column for column in COLUMNS[format_id] if column.name in run.fields]
    values = [run.fields[column.name].to_pylist() for column in columns]
    for n, payload in enumerate(run.payload.to_pylist()):
        fields: dict[str, Any] = {}
        for column, of_run in zip(columns, values, strict=True):
            if of_run[n] is not None:
                fields[column.name] = column.to_answer(of_run[n])
        yield Record(int(run.at[n]), int(run.size[n]), payload, fields, run.file)
