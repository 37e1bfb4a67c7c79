"""A window yields its fields without reading the whole log."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.kaitai.field_map import field_map
from reference_impl.leveldb_log.writer import (
    Writer,
)
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.walk import fields_between

FORMAT = "leveldb-log"


@pytest.fixture
def log(tmp_path: Path, damaged: bytes) -> LogBytes:
    path = tmp_path / "000003.log"
    path.write_bytes(damaged)
    return LogBytes(path)


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 40052), (0, 1), (12, 24), (100, 101), (32767, 32769), (32768, 40038), (40038, 40052)],
)
def test_window_yields_the_overlapping_fields(
    log: LogBytes, damaged: bytes, start: int, end: int
) -> None:
    fields = field_map(damaged, FORMAT)
    touching = [
        field
        for field in fields
        if (field.start < end and field.end > start)
        or (field.start == field.end and start < field.start <= end)
    ]
    assert list(fields_between(log, FORMAT, start, end)) == touching


def test_only_blocks_of_the_window_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "000003.log"
    with path.open("wb") as out:
        writer = Writer(out)
        for _ in range(64):
            writer.append(b"v" * 65_000)
    log = LogBytes(path)
    read: list[int] = []
    original = LogBytes.__getitem__

    def spy(self: LogBytes, piece: slice) -> bytes:
        read.append(piece.start)
        return original(self, piece)

    monkeypatch.setattr(LogBytes, "__getitem__", spy)
    assert list(fields_between(log, FORMAT, 2_000_000, 2_000_100))
    assert set(read) <= {2_000_000 // 32768 * 32768, 0}


def test_truncated_log_gives_fewer_bytes(tmp_path: Path, damaged: bytes) -> None:
    path = tmp_path / "000003.log"
    path.write_bytes(damaged)
    log = LogBytes(path)
    with path.open("r+b") as live:
        live.truncate(100)
    assert log[0:40_052] == damaged[:100]
    assert log[32_768:40_052] == b""


@pytest.mark.parametrize(
    ("format", "vector"),
    [
        ("kahadb-journal", "batch-dropped.log"),
        ("zeebe-journal", "application-entries-of-all-versions.log"),
        ("systemd-journal", "five-entries.journal"),
    ],
)
def test_hole_at_the_end_of_a_sparse_file_is_not_read(
    tmp_path: Path, format: str, vector: str
) -> None:
    path = tmp_path / "sparse"
    path.write_bytes((VECTORS / format / vector).read_bytes())
    data = path.stat().st_size
    os.truncate(path, 1 << 28)
    with LogBytes(path) as log:
        if log.data_end() == log.size:
            pytest.skip("this file system does not report holes")
        tracemalloc.start()
        fields = list(fields_between(log, format, 0, log.size))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert max(field.end for field in fields) == 1 << 28
    assert sum(field.end > data for field in fields) < 4
    assert peak < 8 << 20
