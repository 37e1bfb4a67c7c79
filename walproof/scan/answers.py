"""From a scanner's events back to an answer: how a twin is compared with the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from reference_impl.answer import Answer, Record, collect
from reference_impl.answer import Event as ReferenceEvent
from reference_impl.formats import Context
from reference_impl.zeebe_journal.raft import decode
from walproof.scan import scanner
from walproof.scan.columns import COLUMNS
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
    for event in _one_by_one(format_id, events):
        if isinstance(event, Record) and format_id == "zeebe-journal":
            yield replace(event, fields=_with_entry(event))
        else:
            yield event


def _with_entry(record: Record) -> dict[str, Any]:
    """A raft entry has parts of its own, which are in the payload; without one, nulls."""
    known = record.fields
    fields = {name: known[name] for name in ("index", "asqn", "checksum")}
    fields |= {name: known.get(name) for name in ("term", "entry_type")}
    fault = {name: known[name] for name in ("entry_fault",) if name in known}
    return {**fields, "entry": decode(record.payload).entry, **fault}


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
