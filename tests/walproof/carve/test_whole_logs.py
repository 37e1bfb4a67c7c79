"""Logs that lie in an image as they were written."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest

from reference_impl.formats import FORMATS, detect
from tests.walproof.carve.conftest import CHECKED, payloads
from walproof.carve import output
from walproof.carve.engine import Carving
from walproof.carve.image import Image
from walproof.carve.model import Reading
from walproof.carve.reading import read_file
from walproof.formats.systemd_journal import carver as systemd_carver

COUNTS = (1, 7, 60)


@pytest.mark.parametrize("format_id", list(FORMATS))
def test_a_log_is_found_where_it_is_and_reads_as_it_was(
    format_id: str, builder, log_of, carve, tmp_path: Path
) -> None:
    logs = [log_of(format_id, count) for count in COUNTS]
    places = [builder.put(log, align) for log, align in zip(logs, (512, 1024, 4096), strict=True)]
    made = carve(builder.save(tmp_path / "disk.img"))
    assert made.status == 0
    assert [row["offset"] for row in made.rows] == places
    for row, log, count in zip(made.rows, logs, COUNTS, strict=True):
        assert (row["format"], row["kind"], row["verdict"]) == (format_id, "log", "intact")
        assert row["certainty"] == ("checksum" if format_id in CHECKED else "structure")
        assert (row["records"], row["lost"]) == (count, 0)
        found = made.folder / row["file"]
        data = found.read_bytes()
        # What follows the last record (preallocated space) is no part of it.
        assert log.startswith(data) and not log[len(data) :].strip(b"\0")
        assert row["sha256"] == hashlib.sha256(data).hexdigest()
        assert row["length"] == len(data)
        assert detect(found).id == format_id
        (tmp_path / "again").mkdir(exist_ok=True)
        original = tmp_path / "again" / found.name
        original.write_bytes(log)
        assert payloads(found, format_id) == payloads(original, format_id)
    assert not (made.folder / "carving.json").exists()


def test_a_snapshot_hides_no_log_that_follows(builder, log_of, carve, tmp_path: Path) -> None:
    header = struct.pack("<4sIIQQQ", b"SNAP", 28, 1, 7, 2, 1 << 40) + b"DATA" + bytes(4)
    at = builder.put(header)
    builder.data += b"SNAP" + b"RLOG\0\0\0\0\1\0\0\0"  # words, at no sector
    log = builder.put(log_of("zmq-raft", 7))
    inner = header[:28] + struct.pack("<Q", 50_000) + header[36:]
    second = builder.put(inner)
    in_it = builder.put(log_of("zmq-raft", 3))
    assert in_it < second + 50_000
    builder.filler(50_000)
    made = carve(builder.save(tmp_path / "disk.img"))
    found = [(row["offset"], row["length"], row["records"]) for row in made.rows]
    lengths = [row["length"] for row in made.rows]
    assert found == [
        (at, log - at, 0),
        (log, lengths[1], 7),
        (second, len(inner) + 50_000, 1),
        (in_it, lengths[3], 3),
    ]


def test_blocks_of_leveldb_at_any_phase(builder, log_of, carve, tmp_path: Path) -> None:
    long = log_of("leveldb-log", 40, 9000)
    places = [builder.put(long, 512) for _ in range(4)]
    assert len({place % 32768 for place in places}) == 4
    made = carve(builder.save(tmp_path / "disk.img"))
    assert [(row["offset"], row["length"], row["records"]) for row in made.rows] == [
        (place, len(long), 40) for place in places
    ]


def test_two_logs_side_by_side_are_two(builder, log_of, carve, tmp_path: Path) -> None:
    first, second = log_of("leveldb-log", 9), log_of("leveldb-log", 30)
    at = builder.put(first.ljust(32768, b"\0") + second, 32768)
    made = carve(builder.save(tmp_path / "disk.img"))
    assert [(row["offset"], row["records"]) for row in made.rows] == [(at, 9), (at + 32768, 30)]


def test_a_damaged_block_does_not_end_a_log(builder, log_of, carve, tmp_path: Path) -> None:
    log = bytearray(log_of("leveldb-log", 3000, 40))
    log[40_000] ^= 1
    at = builder.put(bytes(log))
    made = carve(builder.save(tmp_path / "disk.img"))
    (row,) = made.logs()
    assert (row["offset"], row["length"]) == (at, len(log))
    assert (row["verdict"], row["reason"]) == ("damaged", "checksum-mismatch")
    # What a reader gives up in the damaged block is there as loose records.
    assert row["records"] + len(made.loose) == 2999


@pytest.mark.parametrize("format_id", list(FORMATS))
@pytest.mark.parametrize("remainder", [1, 8, 13])
def test_a_core_dump_holds_logs_at_any_alignment(
    format_id: str, remainder: int, builder, log_of, carve, tmp_path: Path
) -> None:
    core = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HH", 4, 62)
    builder.data[: len(core)] = core
    log = log_of(format_id, 25)
    at = builder.put(log, 16, remainder)
    made = carve(builder.save(tmp_path / "core"))
    found = [(row["offset"], row["kind"], row["records"]) for row in made.rows]
    assert found == [(at, "log", 25)]


def test_a_disk_has_logs_at_sectors_only(builder, log_of, carve, tmp_path: Path) -> None:
    at = builder.put(log_of("kahadb-journal", 4), 512, 13)
    image = builder.save(tmp_path / "disk.img")
    (row,) = carve(image).rows
    assert (row["offset"], row["kind"], row["records"]) == (at, "loose", 4)
    (row,) = carve(image, "--align", "1").rows
    assert (row["offset"], row["kind"], row["records"]) == (at, "log", 4)


def test_holes_are_not_read(log_of, carve, tmp_path: Path) -> None:
    image = tmp_path / "sparse.img"
    place = (1 << 40) + 4096
    log = log_of("leveldb-log", 5)
    with image.open("wb") as file:
        file.write(log)
        file.seek(place)
        file.write(log)
        file.truncate(1 << 41)
    if image.stat().st_blocks * 512 > 1 << 30:
        pytest.skip("the file system here has no holes")
    assert image.stat().st_size == 1 << 41
    assert [row["offset"] for row in carve(image).rows] == [0, place]


def test_offsets_bound_the_search(builder, log_of, carve, tmp_path: Path) -> None:
    places = [builder.put(log_of("zeebe-journal", 3)) for _ in range(3)]
    image = builder.save(tmp_path / "disk.img")
    made = carve(image, "--from", hex(places[1]), "--to", str(places[2]))
    assert [row["offset"] for row in made.rows] == [places[1]]


def test_random_bytes_hold_nothing(builder, carve, tmp_path: Path) -> None:
    builder.filler(24 << 20)
    image = builder.save(tmp_path / "random.img")
    assert carve(image).rows == []
    assert carve(image, "--align", "1").rows == []


def test_a_journal_in_an_image_is_read_once(builder, log_of, tmp_path: Path, monkeypatch) -> None:
    builder.put(log_of("systemd-journal", 20))
    image = builder.save(tmp_path / "disk.img")
    asked: list[Path] = []

    def counting(path: Path, format_id: str) -> Reading:
        asked.append(path)
        return read_file(path, format_id)

    monkeypatch.setattr(systemd_carver, "read_file", counting)
    monkeypatch.setattr(output, "read_file", counting)
    with Image(image) as opened:
        carving = Carving(opened, ["systemd-journal"], 512, 0, opened.size)
        ((name, found),) = [one for step in carving.steps() for one in step]
        row = output.row_of(opened, name, found, carving.carvers[name], None)
    assert (row["records"], row["verdict"], row["certainty"]) == (20, "intact", "checksum")
    assert len(asked) == 1
