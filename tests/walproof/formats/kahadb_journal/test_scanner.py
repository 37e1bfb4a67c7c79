"""The KahaDB scanner takes linear time. ``test_broker_scanners`` tests its answers."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from reference_impl.answer import Lost, Record
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import HEADER
from walproof.formats.kahadb_journal import scanner
from walproof.log import Log
from walproof.scanners.model import Records, Wanted


def batch(records: bytes, checksum: int | None = None, size: int | None = None) -> bytes:
    """Return a batch, by default with a valid control record."""
    checksum = zlib.adler32(records) if checksum is None else checksum
    return HEADER + struct.pack(">iq", len(records) if size is None else size, checksum) + records


def record(payload: bytes) -> bytes:
    return struct.pack(">iB", len(payload) + 5, 1) + payload


@pytest.mark.parametrize("checksum", [0, 77])
def test_batches_that_all_claim_the_rest_take_linear_time(tmp_path: Path, checksum: int) -> None:
    path = tmp_path / "db-1.log"
    sizes = [33 * left - 25 for left in range(4000, 0, -1)]
    log = b"".join(batch(record(b""), checksum, size) for size in sizes)
    path.write_bytes(log + b"garbage at the end")
    started = time.process_time()
    lost = [
        event
        for event in scanner.scan(Log("kahadb-journal", path), Wanted())
        if isinstance(event, Lost)
    ]
    assert time.process_time() - started < 10
    assert len(lost) == len(sizes)


def test_the_kernel_continues_after_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "db-1.log"
    log = bytearray(b"".join(batch(record(bytes(1000))) for _ in range(3000)))
    for at in (0, len(log) // 3, len(log) // 2):
        log[at + 500] ^= 1
    path.write_bytes(log)
    specified, next_batch = [], Scan.next_batch

    def counted(scan: Scan) -> Iterator[Record | Lost]:
        specified.append(scan.at)
        return next_batch(scan)

    monkeypatch.setattr(Scan, "next_batch", counted)
    events = list(scanner.scan(Log("kahadb-journal", path), Wanted()))
    assert sum(len(event) for event in events if isinstance(event, Records)) == 2997
    assert sum(isinstance(event, Lost) for event in events) == 3
    assert len(specified) < 300
