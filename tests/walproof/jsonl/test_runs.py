"""Lines made a run at a time are those made record by record, to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from conformance.text import json_text
from conformance.vectors import load_all
from reference_impl.answer import NewRecord, Record
from reference_impl.formats import FORMATS, named
from walproof.formats import plugin_for
from walproof.jsonl import LARGE, line, pieces
from walproof.jsonl import runs as jsonl
from walproof.scan import scanner
from walproof.scan.answers import in_full
from walproof.scan.log import Log
from walproof.scan.model import Event, Records, Wanted

READ = [vector for vector in load_all().values() if vector.operation == "read"]


def events(format_id: str, path: Path, context: dict[str, object]) -> list[Event]:
    return list(scanner(format_id).scan(Log(path, context), Wanted()))


def one_by_one(format_id: str, found: list[Event]) -> bytes:
    return "".join(map(line, in_full(format_id, found))).encode()


def at_once(format_id: str, found: list[Event]) -> bytes:
    return b"".join(map(bytes, jsonl.lines(format_id, found)))


@pytest.mark.parametrize("format_id", FORMATS)
def test_every_vector(format_id: str) -> None:
    joined = 0
    for vector in READ:
        if vector.body["format"] == format_id:
            found = events(format_id, vector.input, vector.body.get("context", {}))
            assert at_once(format_id, found) == one_by_one(format_id, found), vector.id
            joined += sum(
                isinstance(one, Records) and jsonl._joined(format_id, one) is not None
                for one in found
            )
    assert joined > 20 or format_id == "zeebe-journal"


@pytest.mark.parametrize("format_id", FORMATS)
def test_a_format_that_adds_fields_says_so(format_id: str) -> None:
    known = {column.name for column in plugin_for(format_id).columns}
    reading = named(format_id).read
    besides: set[str] = set()
    for vector in READ:
        if vector.body["format"] == format_id:
            for event in reading(vector.input, "recover", vector.body.get("context", {})):
                besides |= set(event.fields) - known if isinstance(event, Record) else set()
    assert plugin_for(format_id).adds_fields is bool(besides)


def runs(path: Path) -> Iterator[Records]:
    return (one for one in events("leveldb-log", path, {}) if isinstance(one, Records))


def test_a_slice_of_a_run_and_a_long_payload(tmp_path: Path) -> None:
    path = tmp_path / "000003.log"
    payloads = [bytes([n]) * n for n in range(200)]
    named("leveldb-log").write(path, [NewRecord(one) for one in [*payloads, bytes(5000)]], {})
    (whole,) = runs(path)
    assert jsonl._joined("leveldb-log", whole) is None, "the last one is shown by its hash"
    assert at_once("leveldb-log", [whole]) == one_by_one("leveldb-log", [whole])
    assert whole.payload is not None
    part = Records(whole.at[50:150], whole.size[50:150], whole.payload.slice(50, 100))
    joined = jsonl._joined("leveldb-log", part)
    assert joined is not None and bytes(joined) == one_by_one("leveldb-log", [part])


def test_text_that_json_escapes_goes_the_slow_way() -> None:
    at = pa.array([0, 10], pa.int64()).to_numpy()
    payload = pa.array([b"a", b""], pa.binary())
    for name, is_joined in (("plain", True), ('a "word"', False), ("é", False), ("a\n", False)):
        fields = {
            "type": pa.array([1, 2], pa.int32()),
            "command_name": pa.array([name, None], pa.string()),
        }
        run = Records(at, at, payload, fields, "db-1.log")
        assert (jsonl._joined("kahadb-journal", run) is not None) == is_joined
        assert at_once("kahadb-journal", [run]) == one_by_one("kahadb-journal", [run])


def test_a_large_record_comes_in_pieces_that_are_its_line() -> None:
    """The piece with the long text is one; what is around it is in others."""
    text = "\x01é" * LARGE
    record = Record(7, 9, text.encode(), {"state": {"a": text, "b": [1, None, "\u202e"]}}, "x")
    found = list(pieces(record))
    assert max(map(len, found)) < len(line(record)) - 100
    assert line(record) == json_text({"record": record.to_json()}) + "\n" == "".join(found)
