"""Readers use a bounded amount of memory and time for hostile logs."""

from __future__ import annotations

import io
import time
import tracemalloc
from pathlib import Path

import pytest

from reference_impl.answer import collect
from reference_impl.formats import named
from reference_impl.rocksdb_wal.reader import read_stream
from tests.hostile import prometheus_wal, rocksdb_wal, systemd_journal
from tests.hostile.logs import Hostile, logs
from walproof.log import Log
from walproof.scanners.answers import read as fast_read

LOGS = list(logs())
SMALL = 1 << 15
STRAIGHT = 1.5


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.format}-{log.name}")
def test_the_scanner_agrees_with_the_reference(log: Hostile, tmp_path: Path) -> None:
    data = log.make(SMALL)
    assert SMALL // 2 < len(data) < 2 * SMALL
    path = tmp_path / log.file_name
    path.write_bytes(data)
    answer = collect(named(log.format).read(path, "recover", {}))
    assert answer.verdict != "refused"
    assert collect(fast_read(Log(log.format, path))) == answer


def peak(path: Path) -> int:
    """Return the peak memory in bytes for reading a journal without keeping its events."""
    tracemalloc.start()
    try:
        for _ in named("systemd-journal").read(path, "recover", {}):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "make", [systemd_journal.one_field_repeated, systemd_journal.faults_that_overlap]
)
def test_memory_grows_with_the_file(make, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    peaks = []
    for size in (1 << 16, 1 << 18):
        path = tmp_path / f"{size}.journal"
        path.write_bytes(make(size))
        peaks.append(peak(path))
    assert peaks[1] < 16 * (1 << 18) + (4 << 20)
    assert peaks[1] < 4 * STRAIGHT * max(peaks[0], 1 << 20)


def seconds(log: bytes) -> float:
    """Return how many CPU seconds it takes to read a RocksDB log from memory."""
    started = time.process_time()
    for _ in read_stream(io.BytesIO(log), number=rocksdb_wal.NUMBER):
        pass
    return time.process_time() - started


def test_time_grows_with_the_column_families_of_a_log() -> None:
    """Reading four times as many column families takes about five times as long, not sixteen."""
    small, large = (rocksdb_wal.metadata_without_end(size) for size in (1 << 19, 1 << 21))
    assert seconds(large) < 10 * seconds(small)


def test_time_grows_with_a_prometheus_record_to_write() -> None:
    """Writing a record of four times the size takes about six times as long.

    When each page copied the rest of the record, it took 148 times as long.
    """
    times = []
    for size in (1 << 24, 1 << 26):
        started = time.process_time()
        prometheus_wal.one_record(size)
        times.append(time.process_time() - started)
    assert times[1] < 40 * times[0]
