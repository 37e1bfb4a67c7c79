"""Complete logs in an image."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest

from reference_impl.formats import FORMATS, detect
from tests.walproof.carve.conftest import CHECKED, payloads

COUNTS = (1, 7, 60)


@pytest.mark.parametrize("format_id", list(FORMATS))
def test_log_is_found_at_its_offset_and_read(
    format_id: str, builder, log_of, carve, tmp_path: Path
) -> None:
    logs = [log_of(format_id, count) for count in COUNTS]
    offsets = [builder.put(log, align) for log, align in zip(logs, (512, 1024, 4096), strict=True)]
    result = carve(builder.save(tmp_path / "disk.img"))
    assert result.status == 0
    assert [row["offset"] for row in result.rows] == offsets
    for row, log, count in zip(result.rows, logs, COUNTS, strict=True):
        assert (row["format"], row["kind"], row["verdict"]) == (format_id, "log", "intact")
        assert row["certainty"] == ("checksum" if format_id in CHECKED else "structure")
        assert (row["records"], row["lost"]) == (count, 0)
        path = result.folder / row["file"]
        data = path.read_bytes()
        # The carved log excludes the preallocated space after the last record.
        assert log.startswith(data) and not log[len(data) :].strip(b"\0")
        assert row["sha256"] == hashlib.sha256(data).hexdigest()
        assert row["length"] == len(data)
        assert detect(path).id == format_id
        (tmp_path / "again").mkdir(exist_ok=True)
        original = tmp_path / "again" / path.name
        original.write_bytes(log)
        assert payloads(path, format_id) == payloads(original, format_id)
    assert not (result.folder / "carving.json").exists()


def test_snapshot_does_not_hide_later_logs(builder, log_of, carve, tmp_path: Path) -> None:
    header = struct.pack("<4sIIQQQ", b"SNAP", 28, 1, 7, 2, 1 << 40) + b"DATA" + bytes(4)
    at = builder.put(header)
    # signatures that do not start at a sector boundary
    builder.data += b"SNAP" + b"RLOG\0\0\0\0\1\0\0\0"
    log = builder.put(log_of("zmq-raft", 7))
    inner = header[:28] + struct.pack("<Q", 50_000) + header[36:]
    second = builder.put(inner)
    inner_log = builder.put(log_of("zmq-raft", 3))
    assert inner_log < second + 50_000
    builder.filler(50_000)
    result = carve(builder.save(tmp_path / "disk.img"))
    rows = [(row["offset"], row["length"], row["records"]) for row in result.rows]
    lengths = [row["length"] for row in result.rows]
    assert rows == [
        (at, log - at, 0),
        (log, lengths[1], 7),
        (second, len(inner) + 50_000, 1),
        (inner_log, lengths[3], 3),
    ]


def test_leveldb_blocks_at_any_offset(builder, log_of, carve, tmp_path: Path) -> None:
    long = log_of("leveldb-log", 40, 9000)
    offsets = [builder.put(long, 512) for _ in range(4)]
    assert len({offset % 32768 for offset in offsets}) == 4
    result = carve(builder.save(tmp_path / "disk.img"))
    assert [(row["offset"], row["length"], row["records"]) for row in result.rows] == [
        (offset, len(long), 40) for offset in offsets
    ]


def test_adjacent_logs_are_separate(builder, log_of, carve, tmp_path: Path) -> None:
    first, second = log_of("leveldb-log", 9), log_of("leveldb-log", 30)
    at = builder.put(first.ljust(32768, b"\0") + second, 32768)
    result = carve(builder.save(tmp_path / "disk.img"))
    assert [(row["offset"], row["records"]) for row in result.rows] == [(at, 9), (at + 32768, 30)]


def test_damaged_block_does_not_end_a_log(builder, log_of, carve, tmp_path: Path) -> None:
    log = bytearray(log_of("leveldb-log", 3000, 40))
    log[40_000] ^= 1
    at = builder.put(bytes(log))
    result = carve(builder.save(tmp_path / "disk.img"))
    (row,) = result.logs()
    assert (row["offset"], row["length"]) == (at, len(log))
    assert (row["verdict"], row["reason"]) == ("damaged", "checksum-mismatch")
    # Records of the damaged block that a reader skips are carved as loose records.
    assert row["records"] + len(result.loose) == 2999


@pytest.mark.parametrize("format_id", list(FORMATS))
def test_core_dump_may_hold_unaligned_logs(
    format_id: str, builder, log_of, carve, tmp_path: Path
) -> None:
    core = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HH", 4, 62)
    builder.data[: len(core)] = core
    log = log_of(format_id, 25)
    at = builder.put(log, 16, 13)
    result = carve(builder.save(tmp_path / "core"))
    rows = [(row["offset"], row["kind"], row["records"]) for row in result.rows]
    assert rows == [(at, "log", 25)]


def test_disk_image_holds_aligned_logs_only(builder, log_of, carve, tmp_path: Path) -> None:
    at = builder.put(log_of("kahadb-journal", 4), 512, 13)
    image = builder.save(tmp_path / "disk.img")
    (row,) = carve(image).rows
    assert (row["offset"], row["kind"], row["records"]) == (at, "loose", 4)
    (row,) = carve(image, "--align", "1").rows
    assert (row["offset"], row["kind"], row["records"]) == (at, "log", 4)


def test_holes_are_skipped(log_of, carve, tmp_path: Path) -> None:
    image = tmp_path / "sparse.img"
    offset = (1 << 40) + 4096
    log = log_of("leveldb-log", 5)
    with image.open("wb") as file:
        file.write(log)
        file.seek(offset)
        file.write(log)
        file.truncate(1 << 41)
    if image.stat().st_blocks * 512 > 1 << 30:
        pytest.skip("the file system here has no holes")
    assert image.stat().st_size == 1 << 41
    assert [row["offset"] for row in carve(image).rows] == [0, offset]


def test_options_from_and_to(builder, log_of, carve, tmp_path: Path) -> None:
    offsets = [builder.put(log_of("zeebe-journal", 3)) for _ in range(3)]
    image = builder.save(tmp_path / "disk.img")
    result = carve(image, "--from", hex(offsets[1]), "--to", str(offsets[2]))
    assert [row["offset"] for row in result.rows] == [offsets[1]]


def test_random_bytes_give_no_finds(builder, carve, tmp_path: Path) -> None:
    builder.filler(6 << 20)
    image = builder.save(tmp_path / "random.img")
    assert carve(image).rows == []
    assert carve(image, "--align", "1").rows == []
