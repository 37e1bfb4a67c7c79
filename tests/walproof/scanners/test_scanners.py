"""Scanners return the same records for the parts of a log as for the whole log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from conformance.vectors import Vector, load_all
from reference_impl.answer import Answer, End, Lost, collect
from reference_impl.formats import FORMATS, named
from walproof.formats import plugin_for
from walproof.log import Log
from walproof.scanners import scanner
from walproof.scanners.answers import answer, records
from walproof.scanners.model import Event, Records, Wanted
from walproof.scanners.reference import ReferenceScanner

VECTORS = [v for v in load_all().values() if v.operation == "read"]


def in_columns(original: Answer, format_id: str) -> dict[str, Any]:
    """Return an answer with only the fields that are columns and are not null."""
    body = original.to_json()
    fixed = {"file", "at", "size", "payload", "payload_sha256"}
    names = fixed | {column.name for column in plugin_for(format_id).columns}
    body["records"] = [
        {name: value for name, value in record.items() if name in names and value is not None}
        for record in body["records"]
    ]
    return body


def expected_answer(vector: Vector) -> dict[str, Any]:
    context = vector.body.get("context", {})
    format_id = str(vector.body["format"])
    return in_columns(collect(named(format_id).read(vector.input, "recover", context)), format_id)


def log_of(vector: Vector) -> Log:
    return Log(vector.body["format"], vector.input, context=vector.body.get("context"))


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_the_specification_in_columns_gives_its_own_answers(format_id: str) -> None:
    """Other tests compare scanners with the reference scanner, so its answers must be right."""
    reader = ReferenceScanner(format_id)
    vectors = [v for v in VECTORS if v.body["format"] == format_id][::4]
    assert vectors
    for vector in vectors:
        actual = in_columns(answer(format_id, reader.scan(log_of(vector), Wanted())), format_id)
        assert actual == expected_answer(vector), vector.id


def sorted_events(format_id: str, events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """Return the records and lost ranges as a sorted list, because parts come in any order."""
    items: list[tuple[Any, ...]] = []
    for event in events:
        if isinstance(event, Records):
            items += [(r.file or "", r.at, r.size, r.payload) for r in records(format_id, event)]
        elif isinstance(event, Lost):
            items.append((event.file or "", event.start, event.end, event.reason.encode()))
    return sorted(items)


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_parts_give_the_same_as_the_whole(format_id: str) -> None:
    reader = scanner(format_id)
    differing = []
    for vector in [v for v in VECTORS if v.body["format"] == format_id][::3]:
        log = log_of(vector)
        complete = list(reader.scan(log, Wanted()))
        assert isinstance(complete[-1], End)
        for target in (1, 40_000):
            parts = reader.plan(log, target)
            events = [event for part in parts for event in reader.scan(log, Wanted(), part)]
            if sorted_events(format_id, events) != sorted_events(format_id, complete):
                differing.append((vector.id, target))
    assert differing == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "wanted",
    [Wanted(max_payload=5), Wanted(max_payload=700), Wanted(payload=False, columns=frozenset())],
    ids=["5 bytes", "700 bytes", "no columns"],
)
@pytest.mark.parametrize("format_id", FORMATS)
def test_payloads_are_cut_and_columns_are_left_out(format_id: str, wanted: Wanted) -> None:
    for vector in [v for v in VECTORS if v.body["format"] == format_id][::5]:
        log = log_of(vector)
        expected = selected(ReferenceScanner(format_id).scan(log, wanted))
        assert selected(scanner(format_id).scan(log, wanted)) == expected, vector.id


def selected(events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """Return each record's payload, its columns, and whether the payload was cut."""
    rows: list[tuple[Any, ...]] = []
    for run in events:
        if isinstance(run, Records):
            payloads = [None] * len(run) if run.payload is None else run.payload.to_pylist()
            are_cut = [False] * len(run) if run.truncated is None else run.truncated.tolist()
            fields = [column.to_pylist() for column in run.fields.values()]
            rows += zip(payloads, are_cut, [tuple(run.fields)] * len(run), *fields, strict=True)
    return rows
