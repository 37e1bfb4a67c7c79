"""Compare each reader of LevelDB logs with its known answers to logs on which readers differ.

``disagreement_table.json`` contains the steps that build each log (:func:`build`), and the answer
of each reader. ``a``, ``b`` and ``c`` are records, and ``..`` is a filler. A slash after a record
means that the reader reported a fault there. ``differs`` explains cells in which an adapter stops
at the first error, as the database does. The chapter ``spec/leveldb-log.md`` lists the defects.

RocksDB's reader is missing, because no package exports it. ccl_chromium_reader is missing, because
it is not on PyPI.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from crc32c import crc32c

from conformance import registry
from conformance.recipes.leveldb_log.log import (
    FIRST,
    FULL,
    LAST,
    MIDDLE,
    foreign,
    forge_checksum,
    numbered,
    physical,
)
from conformance.session import ProtocolSession
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    HEADER_SIZE,
)
from reference_impl.leveldb_log.writer import (
    Writer,
)
from walproof.setup import in_ci

TABLE = json.loads((Path(__file__).parent / "disagreement_table.json").read_text("utf-8"))
COLUMNS: Mapping[str, str] = TABLE["columns"]
CASES: Sequence[Mapping[str, Any]] = TABLE["cases"]
ROWS = 39
WALL_MS = 10_000

NAMES = {"a": b"alpha", "b": b"bravo", "c": b"charlie", "nothing": b""}
TYPES = {"FULL": FULL, "FIRST": FIRST, "MIDDLE": MIDDLE, "LAST": LAST}
LOG_NUMBER = (1).to_bytes(4, "little")


def payload(text: str) -> bytes:
    """Return ``a``, ``b`` or ``c``, other text itself, ``xxxyy`` for ``x*3+y*2``."""
    parts = [part.partition("*") for part in text.split("+")]
    return b"".join(
        NAMES.get(part, part.replace("_", " ").encode()) * int(count or 1)
        for part, _, count in parts
    )


def build(steps: Sequence[str]) -> tuple[bytes, list[bytes]]:
    """Return the log that the steps make, and its filler records.

    * ``write X``: a record, as a writer writes it
    * ``FULL X``, ``FIRST X``, ``MIDDLE X``, ``LAST X``, ``type N X``: a physical record
    * ``fill N``: a record that leaves N bytes of the block
    * ``unmasked X``: a FULL with a checksum that is not masked
    * ``crc0``: a FULL with the checksum 0
    * ``recyclable X``, ``walsync X``: FULL records of RocksDB and Pebble with log number 1
    * ``zeros N``, ``bytes HEX``: these bytes
    * ``cut N``: remove the last N bytes
    * ``flip AT``: flip the lowest bit of a byte
    * ``length AT N``: set the length in the header at AT

    Negative offsets count from the end.
    """
    log, fillers = bytearray(), []
    for step in steps:
        match step.split():
            case ["write", text]:
                out = io.BytesIO()
                Writer(out, len(log)).append(payload(text))
                log += out.getvalue()
            case ["fill", left]:
                room = BLOCK_SIZE - len(log) % BLOCK_SIZE
                fillers.append(numbered(room - HEADER_SIZE - int(left)))
                log += physical(FULL, fillers[-1])
            case ["type", kind, text]:
                log += physical(int(kind), payload(text))
            case ["unmasked", text]:
                record = physical(FULL, payload(text))
                log += crc32c(record[6:]).to_bytes(4, "little") + record[4:]
            case ["crc0"]:
                log += physical(FULL, forge_checksum(FULL, b"crc0", 0))
            case ["recyclable", text]:
                log += foreign(5, LOG_NUMBER, payload(text))
            case ["walsync", text]:
                log += foreign(9, LOG_NUMBER + bytes(8), payload(text))
            case ["zeros", count]:
                log += bytes(int(count))
            case ["bytes", text]:
                log += bytes.fromhex(text)
            case ["cut", count]:
                del log[-int(count) :]
            case ["flip", at]:
                log[int(at)] ^= 1
            case ["length", at, length]:
                header = int(at) % len(log)
                log[header + 4 : header + 6] = int(length).to_bytes(2, "little")
            case [kind, text] if kind in TYPES:
                log += physical(TYPES[kind], payload(text))
            case _:
                raise ValueError(f"no such step: {step!r}")
    return bytes(log), fillers


def show(record: Mapping[str, Any], fillers: Sequence[bytes]) -> str:
    """Return the name of a record in a cell of the table."""
    data = bytes.fromhex(record.get("payload", ""))
    digest = record.get("payload_sha256") or hashlib.sha256(data).hexdigest()
    if digest in [hashlib.sha256(filler).hexdigest() for filler in fillers]:
        return ".."
    if name := next((name for name in "abc" if NAMES[name] == data), None):
        return name
    if "payload" in record and len(data) <= 24:
        printable = data.isascii() and data.decode().isprintable()
        return f'"{data.decode()}"' if printable else data.hex()
    return f"<{len(data)} bytes, sha256 {digest[:8]}>" if data else f"<sha256 {digest[:8]}>"


def cell(answer: Mapping[str, Any], fillers: Sequence[bytes]) -> str:
    """Return an answer as a cell, with verdict and reason if the reader has them."""
    records = [show(record, fillers) for record in answer["records"]]
    shown = ", ".join(records) or "nothing"
    if "verdict" in answer:
        reason = f", {answer['reason']}" if answer["reason"] else ""
        return f"{shown}; {answer['verdict']}{reason}"
    return f"{shown} /" if answer["signals"] else shown


def _ask(command: Sequence[str], folder: Path) -> list[str]:
    session, cells = ProtocolSession(command), []
    session.start()
    try:
        for number, case in enumerate(CASES):
            data, fillers = build(case["log"])
            # Pebble takes the number of the log from its name, as the databases do.
            path = folder / str(number) / "000001.log"
            path.parent.mkdir()
            path.write_bytes(data)
            request = {
                "cmd": "read",
                "seq": number,
                "format": "leveldb-log",
                "path": str(path),
                "profile": "recover",
                "context": {},
                "limits": {"wall_ms": WALL_MS},
            }
            reply = session.request(request, WALL_MS)
            cells.append(cell(reply["answer"], fillers))
    finally:
        session.close()
    return cells


@functools.cache
def _implementation(name: str) -> registry.Implementation:
    return registry.load(registry.FOLDER / name)


@pytest.mark.parametrize("column", COLUMNS)
def test_column_is_reproduced(column: str, tmp_path: Path) -> None:
    implementation = _implementation(COLUMNS[column])
    missing = implementation.missing()
    if missing or not implementation.is_built():
        why = f"{' and '.join(missing)} not found" if missing else "not built: make setup"
        # What cannot be set up here may be skipped, but not where everything is expected to be.
        (pytest.fail if in_ci() else pytest.skip)(f"{implementation.name}: {why}")
    facts = _ask(implementation.command, tmp_path)
    wrong = [
        f"row {case['row']}, {case['case']}: expected {case['cells'][column]!r}, found {actual!r}"
        for case, actual in zip(CASES, facts, strict=True)
        if case["cells"][column] != actual
    ]
    assert not wrong, "\n".join([f"{column} ({implementation.name}):", *wrong])


def test_table_is_whole() -> None:
    assert sorted({case["row"] for case in CASES}) == list(range(1, ROWS + 1))
    for case in CASES:
        assert list(case["cells"]) == list(COLUMNS), case["case"]
        for column, why in case.get("differs", {}).items():
            assert column in COLUMNS and why.endswith("."), (case["case"], column)
