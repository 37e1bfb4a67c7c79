"""The scanners for brokers' journals agree with the executable specification on vectors."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numba")

from conformance.vectors import Vector, load_all
from reference_impl.answer import Answer, NewRecord, Record, collect
from reference_impl.formats import Context, Format, named
from tests.walproof.formats.agreement import assert_parts_agree
from walproof.formats.kahadb_journal import scanner as kahadb_journal
from walproof.log import Log
from walproof.scanners import scanner, walk, window
from walproof.scanners.answers import read
from walproof.scanners.model import Records, Scanner, Wanted
from walproof.scanners.reference import ReferenceScanner

#: These limits are so small that all data crosses window and run boundaries.
SMALL = (
    (window, "PASSING_BYTES", (21, 64, 500)),
    (walk, "MAX_BYTES", (1, 100, 1000)),
    (walk, "MAX_ROWS", (1, 2, 50)),
    (walk, "MAX_HELD_BYTES", (40, 500, 32 << 20)),
    (kahadb_journal, "MIN_SPECIFIED_BYTES", (1, 100, 1 << 16)),
)
FORMATS = ("zeebe-journal", "kahadb-journal", "zmq-raft")
MAX_BYTES = 1 << 18


def logs_of(format_id: str) -> list[Vector]:
    logs = [v for v in load_all().values() if v.body["format"] == format_id]
    return [v for v in logs if v.operation == "read" and size_of(v.input) < MAX_BYTES]


def size_of(path: Path) -> int:
    return sum(each.stat().st_size for each in [path, *path.rglob("*")])


def damage(chance: random.Random, log: Path, starts: list[tuple[str, int]]) -> None:
    """Damage a file of a log, usually near the start of a record."""
    files = sorted(path for path in log.rglob("*") if path.is_file()) if log.is_dir() else [log]
    if not files:
        return
    path = chance.choice(files)
    at = chance.randrange(path.stat().st_size + 1)
    if starts and chance.random() < 0.7:
        file, start = chance.choice(starts)
        path, at = log / file if file else log, start + chance.randrange(-4, 56)
    data = bytearray(path.read_bytes()) if path.is_file() else bytearray()
    at = max(0, min(at, len(data)))
    size = chance.choice((1, 4, 16, 60, 600))
    match chance.randrange(9):
        case 0 | 1 | 2 if at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        case 3:
            data[at : at + size] = bytes(min(size, len(data) - at))
        case 4:
            del data[at:]
        case 5:
            del data[at : at + size]
        case 6:
            data[at:at] = data[max(0, at - size) : at]
        case 7:
            data[at : at + 4] = chance.choice((b"\0\0\0\x05", b"\x40\0\0\0", b"\xff" * 4))
        case 8:
            data += chance.choice((bytes(size), chance.randbytes(size), data[-size:]))
    path.write_bytes(data)


def rewritten(chance: random.Random, format: Format, log: Path, context: Context) -> Path:
    """Write a log with changed payloads and valid checksums. Return the old log if refused."""
    records = []
    for event in format.read(log, "recover", context):
        if isinstance(event, Record):
            payload = bytearray(event.payload)
            if payload and chance.random() < 0.5:
                payload[chance.randrange(min(len(payload), 60))] ^= 1 << chance.randrange(8)
            if payload and chance.random() < 0.2:
                del payload[chance.randrange(len(payload)) :]
            records.append(NewRecord(bytes(payload), event.fields))
    path = log.parent / "rewritten" / log.name
    path.parent.mkdir()
    try:
        format.write(path, records, format.copied(log, context))
    except ValueError:
        return log
    return path


@pytest.mark.parametrize("is_small", [False, True])
@pytest.mark.parametrize("format_id", FORMATS)
def test_random_damage(
    format_id: str, is_small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    format = named(format_id)
    for number, vector in enumerate(logs_of(format_id)[is_small::2]):
        chance = random.Random(number)
        for module, name, values in SMALL if is_small else ():
            monkeypatch.setattr(module, name, chance.choice(values))
        context: dict[str, Any] = vector.body.get("context", {})
        log = tmp_path / str(number) / vector.input.name
        log.parent.mkdir()
        (shutil.copytree if vector.input.is_dir() else shutil.copy)(vector.input, log)
        if chance.random() < 0.4:
            log = rewritten(chance, format, log, context)
        expected = assert_agreement(Log(format_id, log, context=context))
        starts = [(each.file or "", each.at) for each in expected.records]
        for _ in range(chance.choice((1, 1, 2, 4))):
            damage(chance, log, starts)
        assert_agreement(Log(format_id, log, context=context))


def assert_agreement(log: Log) -> Answer:
    """Compare the scanner's answers for a log and its parts with the right one; return that."""
    expected = log.answer()
    # Larger numbers do not fit into the 64-bit column ``index``.
    if all(int(each.fields.get("index", 0)) < 2**64 for each in expected.records):
        assert collect(read(log)) == expected, log
        assert_parts_agree(log.format, log, expected)
    return expected


@pytest.mark.parametrize(
    "wanted",
    [Wanted(max_payload=5), Wanted(payload=False, columns=frozenset({"term", "batch"}))],
    ids=["cut payloads", "few columns"],
)
@pytest.mark.parametrize("format_id", FORMATS)
def test_a_selection(format_id: str, wanted: Wanted) -> None:
    for vector in logs_of(format_id)[::3]:
        log = Log(format_id, vector.input, context=vector.body.get("context"))
        expected = rows(ReferenceScanner(format_id), log, wanted)
        assert rows(scanner(format_id), log, wanted) == expected, vector.id


def rows(reader: Scanner, log: Log, wanted: Wanted) -> list[tuple[Any, ...]]:
    """Return each record's payload, its fields, and whether the payload was cut."""
    result: list[tuple[Any, ...]] = []
    for run in reader.scan(log, wanted):
        if isinstance(run, Records):
            payloads = [None] * len(run) if run.payload is None else run.payload.to_pylist()
            are_cut = [False] * len(run) if run.truncated is None else run.truncated.tolist()
            fields = [column.to_pylist() for column in run.fields.values()]
            names = [tuple(run.fields)] * len(run)
            result += zip(payloads, are_cut, names, *fields, strict=True)
    return result
