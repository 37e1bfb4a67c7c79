"""A scanner gives the answer of the reference reader, on every vector, whole and in parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from conformance.vectors import Vector, load_all
from reference_impl.answer import Answer, End, Lost, collect
from reference_impl.formats import FORMATS, named
from walproof.formats import plugin_for
from walproof.scan import scanner
from walproof.scan.answers import answer, records
from walproof.scan.log import Log
from walproof.scan.model import Event, Records, Wanted
from walproof.scan.reference import ReferenceScanner

VECTORS = [v for v in load_all().values() if v.operation == "read"]


def in_columns(given: Answer, format_id: str) -> dict[str, Any]:
    """An answer with the fields that columns have; a missing one and null are the same there."""
    body = given.to_json()
    fixed = {"file", "at", "size", "payload", "payload_sha256"}
    names = fixed | {column.name for column in plugin_for(format_id).columns}
    body["records"] = [
        {name: value for name, value in one.items() if name in names and value is not None}
        for one in body["records"]
    ]
    return body


def owed(vector: Vector) -> dict[str, Any]:
    context = vector.body.get("context", {})
    format_id = str(vector.body["format"])
    return in_columns(collect(named(format_id).read(vector.input, "recover", context)), format_id)


def log_of(vector: Vector) -> Log:
    return Log(vector.input, vector.body.get("context", {}))


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
@pytest.mark.parametrize("which", ["plain", "fast"])
def test_whole(format_id: str, which: str) -> None:
    if which == "fast" and not plugin_for(format_id).has_scanner:
        pytest.skip(f"no kernel for {format_id}")
    reader = ReferenceScanner(format_id) if which == "plain" else scanner(format_id)
    differing = []
    mine = [v for v in VECTORS if v.body["format"] == format_id]
    assert mine
    for vector in mine:
        found = in_columns(answer(format_id, reader.scan(log_of(vector), Wanted())), format_id)
        if found != owed(vector):
            differing.append(vector.id)
    assert differing == []


def places(format_id: str, events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """Records and lost ranges as a sorted list: parts come in any order."""
    found: list[tuple[Any, ...]] = []
    for event in events:
        if isinstance(event, Records):
            found += [(r.file or "", r.at, r.size, r.payload) for r in records(format_id, event)]
        elif isinstance(event, Lost):
            found.append((event.file or "", event.start, event.end, event.reason.encode()))
    return sorted(found)


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_parts(format_id: str) -> None:
    reader = scanner(format_id)
    differing = []
    for vector in (v for v in VECTORS if v.body["format"] == format_id):
        log = log_of(vector)
        whole = list(reader.scan(log, Wanted()))
        assert isinstance(whole[-1], End)
        for target in (1, 40_000):
            parts = reader.plan(log, target)
            found = [event for part in parts for event in reader.scan(log, Wanted(), part)]
            if places(format_id, found) != places(format_id, whole):
                differing.append((vector.id, target))
    assert differing == []
