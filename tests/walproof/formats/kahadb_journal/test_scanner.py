"""Tests of the KahaDB scanner: large batches, and time. Its answers: ``test_broker_scanners``."""

from __future__ import annotations

import struct
import time
import zlib
from pathlib import Path

import pytest

from reference_impl.answer import Lost, collect
from reference_impl.formats import named
from reference_impl.kahadb_journal.layout import EOF_RECORD, HEADER
from walproof.formats.kahadb_journal import scanner
from walproof.scan.answers import read
from walproof.scan.log import Log
from walproof.scan.model import Wanted


def batch(records: bytes, checksum: int | None = None, size: int | None = None) -> bytes:
    """Return a batch, by default with a valid control record."""
    checksum = zlib.adler32(records) if checksum is None else checksum
    return HEADER + struct.pack(">iq", len(records) if size is None else size, checksum) + records


def record(payload: bytes) -> bytes:
    return struct.pack(">iB", len(payload) + 5, 1) + payload


def test_a_batch_and_a_record_larger_than_the_buffer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanner._Walk, "max_held_bytes", 1 << 20)
    path = tmp_path / "db-1.log"
    many = b"".join(record(bytes([n % 251]) * 3000) for n in range(1000))
    large = batch(record(b"x" * (3 << 20)))
    path.write_bytes(batch(many) + large + batch(record(b"last")) + EOF_RECORD)
    expected = collect(named("kahadb-journal").read(path, "recover", {}))
    assert collect(read("kahadb-journal", path, {})) == expected


@pytest.mark.parametrize("checksum", [0, 77])
def test_batches_that_all_claim_the_rest_take_linear_time(tmp_path: Path, checksum: int) -> None:
    path = tmp_path / "db-1.log"
    sizes = [33 * left - 25 for left in range(4000, 0, -1)]
    log = b"".join(batch(record(b""), checksum, size) for size in sizes)
    path.write_bytes(log + b"garbage at the end")
    started = time.process_time()
    lost = [event for event in scanner.scan(Log(path), Wanted()) if isinstance(event, Lost)]
    assert time.process_time() - started < 10
    assert len(lost) == len(sizes)
