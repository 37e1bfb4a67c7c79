"""From a scanner's events back to an answer: how a scanner is compared with the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from reference_impl.answer import Answer, Record, collect
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.formats import Context
from walproof.formats import plugin_for
from walproof.scan import scanner
from walproof.scan.log import Log
from walproof.scan.model import Event, Records, Wanted


def answer(format_id: str, events: Iterable[Event]) -> Answer:
    """The answer, with the fields that the reference reader would give."""
    return collect(_one_by_one(format_id, events))


def read(format_id: str, path: Path, context: Context) -> Iterator[ReferenceEvent]:
    """What ``Format.read`` yields in the profile ``recover``, by the format's scanner."""
    return in_full(format_id, scanner(format_id).scan(Log(path, context), Wanted()))


def in_full(format_id: str, events: Iterable[Event]) -> Iterator[ReferenceEvent]:
    """The reference reader's events, with the fields too that are no columns."""
    plugin = plugin_for(format_id)
    for event in _one_by_one(format_id, events):
        yield plugin.add_fields(event) if isinstance(event, Record) else event


def _one_by_one(format_id: str, events: Iterable[Event]) -> Iterator[ReferenceEvent]:
    for event in events:
        if isinstance(event, Records):
            for run in event.pieces():
                yield from records(format_id, run)
        else:
            yield event


def records(format_id: str, run: Records) -> Iterator[Record]:
    """The records of a run. Raises ``ValueError`` when it has no payloads, or cut ones."""
    if run.payload is None or run.truncated is not None:
        raise ValueError("a record of an answer has its whole payload")
    known = [one for one in plugin_for(format_id).columns if one.name in run.fields]
    values = [run.fields[column.name].to_pylist() for column in known]
    for n, payload in enumerate(run.payload.to_pylist()):
        fields: dict[str, Any] = {}
        for column, of_run in zip(known, values, strict=True):
            value, of_run[n] = of_run[n], None  # a long one is held no longer than it is needed
            if value is not None:
                fields[column.name] = column.to_answer(value)
                del value
        yield Record(int(run.at[n]), int(run.size[n]), payload, fields, run.file)
