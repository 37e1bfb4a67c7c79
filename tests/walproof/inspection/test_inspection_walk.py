"""A window yields its fields without reading the whole log."""

from __future__ import annotations

import io
import os
import shutil
from pathlib import Path
from typing import BinaryIO

import pytest

from conformance import VECTORS
from conformance.kaitai import field_map as field_map_module
from conformance.kaitai.field_map import ParseStopped, field_map, iter_fields
from conformance.vectors import load_all
from reference_impl.formats import FORMATS
from reference_impl.leveldb_log.writer import Writer
from tests.hostile import kahadb_journal
from walproof.inspection import byte_map
from walproof.inspection.byte_map import FileBytes, MappedField, Mark
from walproof.log import Log

FORMAT = "leveldb-log"


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 40052), (0, 1), (12, 24), (100, 101), (32767, 32769), (32768, 40038), (40038, 40052)],
)
def test_window_yields_the_overlapping_fields(damaged: bytes, start: int, end: int) -> None:
    touching = [
        field
        for field in field_map(damaged, FORMAT)
        if (field.start < end and field.end > start)
        or (field.start == field.end and start < field.start <= end)
    ]
    assert list(iter_fields(damaged, FORMAT, "", start, end)) == touching


def test_window_of_a_log_without_a_stride_ends_between_elements() -> None:
    log = (VECTORS / "systemd-journal" / "five-entries.journal").read_bytes()
    fields = field_map(log, "systemd-journal")
    third = next(field for field in fields if field.path == "objects[2]")
    window = list(iter_fields(log, "systemd-journal", "", 0, third.start + 1))
    assert window == [field for field in fields if field.start <= third.start]
    assert window[-1].path.startswith("objects[2]")


class _Spy(io.BytesIO):
    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.read_at: set[int] = set()

    def read(self, size: int | None = -1) -> bytes:
        self.read_at.add(self.tell())
        return super().read(size)


def test_only_blocks_of_the_window_are_read() -> None:
    out = io.BytesIO()
    writer = Writer(out)
    for _ in range(64):
        writer.append(b"v" * 65_000)
    log = _Spy(out.getvalue())
    assert list(iter_fields(log, FORMAT, "", 2_000_000, 2_000_100))
    assert log.read_at <= {2_000_000 // 32768 * 32768, 0}


def test_truncated_log_gives_fewer_bytes(tmp_path: Path, damaged: bytes) -> None:
    path = tmp_path / "000003.log"
    path.write_bytes(damaged)
    with path.open("rb") as file, path.open("r+b") as live:
        live.truncate(100)
        assert FileBytes(file)[0:40_052] == damaged[:100]
        assert FileBytes(file)[32_768:40_052] == b""


def test_a_parser_stops_after_many_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_map_module, "MAX_FIELDS", 100)
    data = kahadb_journal.empty_records(1000)
    fields = []
    with pytest.raises(ParseStopped, match="more than 100 fields"):
        for field in iter_fields(data, "kahadb-journal"):
            fields.append(field)
    assert 20 < len(fields) < 100
    assert fields[0].path == "batches[0]" and fields[0].end == len(data)


def _map(path: Path, file: BinaryIO) -> byte_map.ByteMap:
    return byte_map.byte_map(Log("systemd-journal", path, name=path.name), file)


def test_only_the_first_bytes_of_a_log_without_a_stride_are_mapped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = VECTORS / "systemd-journal" / "five-entries.journal"
    size = path.stat().st_size
    monkeypatch.setattr(byte_map, "MAX_PARSED_BYTES", 1000)
    with path.open("rb") as file:
        view = _map(path, file)
        assert view.max_offset == 1000
        *fields, mark = view.rows(0, size)
    assert all(isinstance(row, MappedField) for row in fields)
    assert isinstance(mark, Mark) and mark.at >= 1000
    assert mark.text == (
        f"… {size - mark.at} bytes not shown: of a systemd-journal, only the first 1000 bytes are"
        " mapped"
    )


def test_a_limited_map_parses_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    path = VECTORS / "systemd-journal" / "five-entries.journal"
    size = path.stat().st_size
    monkeypatch.setattr(byte_map, "WINDOW_BYTES", 1000)
    with path.open("rb") as file:
        *_, mark = _map(path, file).rows(0, size, limit=10_000)
    assert isinstance(mark, Mark)
    assert f"continue with --from {mark.at}" in mark.text


@pytest.mark.parametrize("format_id", FORMATS)
@pytest.mark.parametrize("new_size", [0, 3, 31, 100])
def test_a_log_truncated_after_it_was_parsed(format_id: str, new_size: int, tmp_path: Path) -> None:
    vector = max(
        (each for each in load_all().values()
         if each.body["format"] == format_id and each.input.is_file()
         and each.body["expect"]["verdict"] == "intact" and each.body["size"] < 100_000),
        key=lambda each: len(each.body["expect"]["records"]),
    )  # fmt: skip
    shutil.copy(vector.input, path := tmp_path / vector.input.name)
    log = Log(format_id, path, name=path.name)
    with path.open("rb", buffering=0) as file:
        rows = byte_map.byte_map(log, file).rows(0, path.stat().st_size)
        first = next(rows)
        os.truncate(path, new_size)
        rest = [row for row in rows if isinstance(row, MappedField)]
    assert isinstance(first, MappedField) and rest
