"""Applying the damage of a vector to its control gives the bytes of the vector."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

import pytest

from conformance import ROOT
from conformance.damage.operations import (
    OPERATIONS,
    BadOperation,
    DamagedLog,
)
from conformance.damage.text import parse, render
from conformance.vectors import Vector, load_all
from reference_impl.paths import SPEC
from tests.conformance.damage_replay import by_edits, by_operations
from tests.conftest import unavailable

VECTORS = load_all()


def derived_vectors() -> list[Vector]:
    """Return the vectors that are derived from another vector's input, with or without damage.

    Write vectors are left out, because the writer makes their input from records, and the control
    has different records.
    """
    return [v for v in VECTORS.values() if v.control and v.operation != "write"]


def test_every_vector_with_a_control_follows_from_its_edits() -> None:
    derived = derived_vectors()
    assert len(derived) > 2500
    different = [v.id for v in derived if by_edits(v, VECTORS) != v.contents]
    assert different == []


@pytest.mark.slow
def test_every_vector_with_a_control_follows_from_its_operations() -> None:
    different = [v.id for v in derived_vectors() if by_operations(v, VECTORS) != v.contents]
    assert different == []


@pytest.mark.parametrize(
    ("program", "command"), [("node", "node {}/replay.js"), ("go", "go run {}/replay.go")]
)
def test_the_replayers_in_other_languages_make_every_log(program: str, command: str) -> None:
    if shutil.which(program) is None:
        unavailable(f"unavailable, because {program} was not found")
    words = command.format(ROOT / "conformance" / "examples" / "replay").split()
    paths = sorted(str(vector.path) for vector in VECTORS.values())
    done = subprocess.run([*words, *paths], capture_output=True, text=True, timeout=300)
    expected = sorted(f"true {vector.path}" for vector in derived_vectors())
    assert sorted(done.stdout.splitlines()) == expected, done.stderr


def test_every_operation_follows_from_its_text() -> None:
    for vector in derived_vectors():
        for operation in vector.damage:
            expected = {k: v for k, v in operation.items() if k not in ("edits", "order")}
            found = parse(render(operation))
            assert _without_empty_files(found) == _without_empty_files(expected), vector.id


def _without_empty_files(value: Any) -> Any:
    """Remove empty file names from an operation. They are optional in a log of one file."""
    if isinstance(value, list):
        return list(map(_without_empty_files, value))
    if not isinstance(value, dict):
        return value
    return {k: _without_empty_files(v) for k, v in value.items() if (k, v) != ("file", "")}


@pytest.fixture
def log() -> DamagedLog:
    control = VECTORS["leveldb-log/three-records"]
    return DamagedLog(
        control.contents, "leveldb-log", control.input.name, lambda id: VECTORS[id].contents
    )


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("flip bit 3 of blocks[0].records[9].header", "records[0] … records[2]"),
        ("flip bit 32 of blocks[0].records[0].header.checksum", "expected bit 0 to 31"),
        ("flip bit 1 of byte 99999", "of byte 0 to"),
        ("set blocks[0].records[0].header.type to 256", "does not fit"),
        ("truncate at 99999", "an offset up to"),
        ("zero sector 1 of 4096 bytes", "expected a sector below 1"),
        ("reseal blocks[0]", "no checksum covers"),
        ("remove some.log", "a log of one file"),
        ("extend by 99999999999 zero bytes", "at most"),
        ("explode", "an operation that --list shows"),
    ],
)
def test_impossible_operations_are_rejected(operation: str, message: str, log: DamagedLog) -> None:
    before = log.contents
    with pytest.raises(BadOperation) as raised:
        log.apply(parse(operation))
    assert message in str(raised.value)
    assert log.contents == before


def test_no_byte_of_an_empty_log_is_flipped() -> None:
    empty = DamagedLog(b"", "leveldb-log", "000003.log")
    with pytest.raises(BadOperation, match="found an empty file"):
        empty.apply({"op": "flip", "at": 0, "bit": 0})


def test_arguments_must_fit_the_operation(log: DamagedLog) -> None:
    for operation in ({"op": "zero"}, {"op": "zero", "path": "blocks[0]", "bit": 1}, {"op": "x"}):
        with pytest.raises(BadOperation):
            log.apply(operation)


def test_bytes_are_copied_from_vectors(log: DamagedLog) -> None:
    copy = {"copy": "leveldb-log/one-record", "at": 0, "size": 5}
    log.apply({"op": "extend", "bytes": ["0a", {"fill": "ff", "size": 2}, copy]})
    donor = VECTORS["leveldb-log/one-record"].contents
    assert isinstance(donor, bytes) and isinstance(log.contents, bytes)
    assert log.contents.endswith(b"\n\xff\xff" + donor[:5])


def test_the_conventions_list_every_operation() -> None:
    page = (SPEC / "conventions.md").read_text("utf-8")
    for name in OPERATIONS:
        assert f"\n| `{name}` | {OPERATIONS[name].effect} | " in page, name
