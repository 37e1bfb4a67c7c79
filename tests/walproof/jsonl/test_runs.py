"""The lines of a run are equal, to the byte, to the lines of its records."""

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

PARTS = {"at", "file", "payload", "payload_sha256", "size"}
READ = [vector for vector in load_all().values() if vector.operation == "read"]


def events(format_id: str, path: Path, context: dict[str, object]) -> list[Event]:
    return list(scanner(format_id).scan(Log(path, context), Wanted()))


def slow_lines(format_id: str, events: list[Event]) -> bytes:
    return "".join(map(line, in_full(format_id, events))).encode()


def fast_lines(format_id: str, events: list[Event]) -> bytes:
    return b"".join(map(bytes, jsonl.lines(format_id, events)))


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_both_paths_agree_on_vectors(format_id: str) -> None:
    joined = 0
    for vector in READ[::6]:
        if vector.body["format"] == format_id:
            read = events(format_id, vector.input, vector.body.get("context", {}))
            assert fast_lines(format_id, read) == slow_lines(format_id, read), vector.id
            joined += sum(
                isinstance(event, Records) and jsonl._joined(format_id, event) is not None
                for event in read
            )
    # Page numbers of SQLite and fields of journals are converted value by value.
    assert joined > 7 or format_id in ("systemd-journal", "zeebe-journal", "sqlite-wal")


@pytest.mark.slow
@pytest.mark.parametrize("format_id", FORMATS)
def test_adds_fields_is_true_for_formats_with_extra_fields(format_id: str) -> None:
    columns = {column.name for column in plugin_for(format_id).columns} | PARTS
    extra = {
        name
        for vector in READ
        if vector.body["format"] == format_id
        for record in vector.body["expect"]["records"]
        for name in record.keys() - columns
    }
    assert plugin_for(format_id).adds_fields is bool(extra)


def runs(path: Path) -> Iterator[Records]:
    return (event for event in events("leveldb-log", path, {}) if isinstance(event, Records))


def test_both_paths_agree_on_slices_and_long_payloads(tmp_path: Path) -> None:
    path = tmp_path / "000003.log"
    payloads = [bytes([n]) * n for n in range(200)]
    named("leveldb-log").write(
        path, [NewRecord(payload) for payload in [*payloads, bytes(5000)]], {}
    )
    (run,) = runs(path)
    assert jsonl._joined("leveldb-log", run) is None, "the last payload is shown as its hash"
    assert fast_lines("leveldb-log", [run]) == slow_lines("leveldb-log", [run])
    assert run.payload is not None
    part = Records(run.at[50:150], run.size[50:150], run.payload.slice(50, 100))
    joined = jsonl._joined("leveldb-log", part)
    assert joined is not None and bytes(joined) == slow_lines("leveldb-log", [part])


def test_escaped_text_takes_the_slow_path() -> None:
    at = pa.array([0, 10], pa.int64()).to_numpy()
    payload = pa.array([b"a", b""], pa.binary())
    for name, is_joined in (("plain", True), ('a "word"', False), ("é", False), ("a\n", False)):
        fields = {
            "type": pa.array([1, 2], pa.int32()),
            "command_name": pa.array([name, None], pa.string()),
        }
        run = Records(at, at, payload, fields, "db-1.log")
        assert (jsonl._joined("kahadb-journal", run) is not None) == is_joined
        assert fast_lines("kahadb-journal", [run]) == slow_lines("kahadb-journal", [run])


def test_pieces_of_a_large_record_form_its_line() -> None:
    """The long text is one piece, the rest of the line is in others."""
    text = "\x01é" * LARGE
    record = Record(7, 9, text.encode(), {"state": {"a": text, "b": [1, None, "\u202e"]}}, "x")
    parts = list(pieces(record))
    assert max(map(len, parts)) < len(line(record)) - 100
    assert line(record) == json_text({"record": record.to_json()}) + "\n" == "".join(parts)
