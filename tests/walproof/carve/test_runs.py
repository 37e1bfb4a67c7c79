"""Runs: interrupted and resumed, on hostile images, and with existing output."""

from __future__ import annotations

import errno
import gzip
import json
import os
import random
import struct
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from reference_impl.formats import FORMATS
from reference_impl.kahadb_journal.layout import HEADER
from reference_impl.leveldb_log.layout import BLOCK_SIZE, FULL, HEADER_SIZE, masked_crc
from walproof.carve.engine import Carving, offsets
from walproof.carve.image import PAD, STRIDE, Image
from walproof.carve.model import Pattern, Window
from walproof.cli import main
from walproof.formats.leveldb_log.carver import headers


def full_image(builder, log_of, path: Path) -> Path:
    """Build three windows with a log of each format, and a log across two windows."""
    for _ in range(3):
        for format_id in FORMATS:
            builder.put(log_of(format_id, 30))
        builder.filler(STRIDE - 200_000 - len(builder.data) % STRIDE)
        builder.put(log_of("leveldb-log", 300, 3000))
    log = log_of("kahadb-journal", 50)
    builder.put(log[:1024] + builder.random.randbytes(512) + log[1536:])
    return builder.save(path)


class Killed(BaseException):
    pass


@pytest.mark.parametrize(("window", "error"), [(1, KeyboardInterrupt), (2, Killed)])
def test_interrupted_run_resumes(
    window: int, error: type[BaseException], builder, log_of, carve, tmp_path: Path, monkeypatch
) -> None:
    image = full_image(builder, log_of, tmp_path / "disk.img")
    complete = carve(image)
    assert len(complete.rows) > 17
    steps = Carving.steps

    def interrupted(self, progress=lambda _: None):
        for number, finds in enumerate(steps(self, progress)):
            if number == window:
                raise error
            yield finds

    monkeypatch.setattr("walproof.cli.carve_run.EVERY_SECONDS", 0.0)
    folder = tmp_path / "in-two-runs"
    with monkeypatch.context() as patched:
        patched.setattr(Carving, "steps", interrupted)
        if error is Killed:
            with pytest.raises(Killed):
                carve(image, out=folder)
        else:
            assert carve(image, out=folder).status == 130
    assert (folder / "carving.json").exists()
    assert not (folder / "manifest.jsonl").exists()
    resumed = carve(image, out=folder)
    assert resumed.status == 0 and "resuming at" in resumed.output
    assert resumed.rows == complete.rows
    assert resumed.loose == complete.loose
    for path in complete.folder.iterdir():
        assert (folder / path.name).read_bytes() == path.read_bytes()


def test_state_of_a_different_run_is_rejected(builder, log_of, carve, tmp_path: Path) -> None:
    image = builder.save(tmp_path / "disk.img")
    folder = tmp_path / "out"
    folder.mkdir()
    state = {"carve": {"version": 1, "size": 7}, "position": 0, "finds": []}
    (folder / "carving.json").write_text(json.dumps(state))
    result = carve(image, out=folder)
    assert result.status == 1 and "different run" in result.output and "size" in result.output
    (folder / "carving.json").write_text("{")
    assert "not a state file" in carve(image, out=folder).output


def test_existing_files_are_not_overwritten(builder, carve, tmp_path: Path) -> None:
    image = builder.save(tmp_path / "disk.img")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "mine").write_text("x")
    result = carve(image, out=folder)
    assert result.status == 1 and "not empty" in result.output
    assert [path.name for path in folder.iterdir()] == ["mine"]


def test_packed_image_is_reported(log_of, carve, tmp_path: Path) -> None:
    image, packed = tmp_path / "disk.img", tmp_path / "disk.img.gz"
    image.write_bytes(bytes(512) + log_of("leveldb-log", 3))
    packed.write_bytes(gzip.compress(image.read_bytes()))
    assert "unpack it" not in carve(image).output
    done = carve(packed)
    assert done.status == 0 and done.rows == []
    assert f"{packed}: looks like a gzip file" in done.output


def test_finds_are_streamed(builder, log_of, tmp_path: Path, monkeypatch, capfd) -> None:
    offsets = [builder.put(log_of("leveldb-log", 3)) for _ in range(3)]
    image = builder.save(tmp_path / "disk.img")
    monkeypatch.setattr(sys, "argv", ["walproof", "carve", str(image), "--json"])
    with pytest.raises(SystemExit) as exit:
        main()
    assert exit.value.code == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["offset"] for row in rows] == offsets
    assert {row["file"] for row in rows} == {None}
    assert sorted(path.name for path in tmp_path.iterdir() if "made" not in path.name) == [
        "disk.img"
    ]


def test_search_without_numba_finds_the_same(
    builder, log_of, carve, tmp_path: Path, monkeypatch
) -> None:
    image = full_image(builder, log_of, tmp_path / "disk.img")
    fast = carve(image)
    absent = lambda name: None if name == "numba" else True  # noqa: E731
    monkeypatch.setattr("importlib.util.find_spec", absent)
    assert carve(image).rows == fast.rows


def test_search_finds_every_pattern() -> None:
    patterns = [
        Pattern(b"\1\2\3"),
        Pattern(b"\2\0\3", b"\xff\0\xff"),
        Pattern(b"\3\3", back=2),
        Pattern(b"\2\2", peeks=(9, 70), among=frozenset({1, 255})),
        Pattern(b"\1" + bytes(9), b"\xf1" + b"\xff" * 9),
    ]
    data = np.random.default_rng(5).integers(0, 4, 40_000 + PAD, dtype=np.uint8)
    data[5000:9000] = 0
    data[40_000:] = 0

    def matches(pattern: Pattern, at: int, size: int) -> bool:
        mask = pattern.mask or b"\xff" * len(pattern.value)
        peeked = [int(data[at + offset]) for offset in pattern.peeks if at + offset < size]
        return all(
            int(data[at + offset]) & bits == pattern.value[offset] & bits
            for offset, bits in enumerate(mask)
        ) and (not pattern.peeks or not pattern.among.isdisjoint(peeked))

    for size, stop in ((40_000, 40_000), (40_000, 30_000)):
        expected = [
            (1000 + at - pattern.back, number)
            for number, pattern in enumerate(patterns)
            for at in range(stop)
            if matches(pattern, at, size)
        ]
        assert len(expected) > 2000
        window = Window(1000, 1000 + stop, size, data)
        hits = [(at, n) for n, each in enumerate(patterns) for at in offsets(each, window)]
        assert sorted(hits) == sorted(expected)


def test_peek_ignores_bytes_after_the_image() -> None:
    pattern = Pattern(b"\1\2", peeks=(40, 60), among=frozenset({0}))
    data = np.full(100 + PAD, 5, np.uint8)
    data[[10, 11, 55, 56, 70, 71]] = [1, 2] * 3
    data[[50, 105, 110]] = 0
    assert offsets(pattern, Window(0, 100, 100, data)) == [10]
    # The third pattern would have to compare bytes 110 and 130, which lie after the end of the
    # image.


def test_unreadable_sectors_are_zeros(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "disk.img"
    path.write_bytes(bytes(range(1, 9)) * 256)  # four sectors; reading the second one fails
    read = os.pread

    def fail(file: int, length: int, at: int) -> bytes:
        if 512 <= at < 1024:
            raise OSError(errno.EIO, "Input/output error")
        return read(file, min(length, 512 - at) if at < 512 else length, at)

    monkeypatch.setattr(os, "pread", fail)
    expected = path.read_bytes()[:512] + bytes(512) + path.read_bytes()[1024:]
    with Image(path) as image:
        assert image.read(0, 4096) == expected
        window = image.window(0, image.size)
        assert window.data[: window.size].tobytes() == expected
        assert image.unreadable == 512


@pytest.mark.parametrize("near_end", [0, 1, 7, 63])
def test_kernel_finds_all_physical_records(near_end: int) -> None:
    from walproof.formats.leveldb_log.carver.kernel import physical_records, prefixes

    chance = random.Random(near_end)
    parts, expected, at = [], [], 0
    for number in range(401):
        noise = chance.randbytes(chance.choice([0, 0, 1, 6, 7, 50, 300]))
        noise += bytes(chance.choice([0, 0, 70]))
        size = chance.choice([0, 1, 7, 8, 500, BLOCK_SIZE - 7]) if number % 9 else number * 7
        if number == 400:  # this header ends with the image if near_end is 0
            size = 0
        payload = bytes([1 + number % 4]) + chance.randbytes(size)
        masked = struct.pack("<I", masked_crc(payload))
        record = masked + struct.pack("<H", size) + payload
        if number % 5 == 4:
            record = bytes([record[0] ^ 1]) + record[1:]
        else:
            expected.append((at + len(noise), at + len(noise) + len(record), payload[0]))
        parts.append(noise + record)
        at += len(parts[-1])
    image = b"".join(parts) + bytes(near_end)
    data = np.frombuffer(image + bytes(PAD), np.uint8)
    of_eight = np.empty(len(image) // 8 + 1, np.uint32)
    prefixes(data, len(image), of_eight)
    columns = np.empty(50, np.int64), np.empty(50, np.int64), np.empty(50, np.uint8)
    dialect = headers(FULL, HEADER_SIZE)
    records: list[tuple[int, int, int]] = []
    start = 0
    while start < len(image):
        count, start = physical_records(
            data, start, len(image), len(image), of_eight, dialect.sizes, dialect.above, *columns
        )
        records += zip(*(column[:count].tolist() for column in columns), strict=True)
    assert records == expected


def _kahadb(size: int) -> bytes:
    """Return an image with a KahaDB header every 28 bytes; each claims all following bytes."""
    return b"".join(
        HEADER + struct.pack(">iq", size - at - 28, 12345) for at in range(0, size - 28, 28)
    )


def _empty_batches(size: int) -> bytes:
    body = b"\0\0\0\5\1"
    batch = HEADER + struct.pack(">iq", len(body), zlib.adler32(body)) + body + b"\x07"
    return batch * (size // len(batch))


def _zeebe(size: int) -> bytes:
    pieces = []
    for at in range(0, size - 100, 57):
        length = size - at - 30
        pieces.append(
            b"\1" + struct.pack("<HHHHqi", 12, 1, 7, 1, 99, length)
            + struct.pack("<HHHHqqI", 16, 2, 7, 1, 1, 1, length - 28)
        )  # fmt: skip
    return b"".join(pieces)


def _rlog(size: int) -> bytes:
    header = b"RLOG" + struct.pack("<IIIQ", 16 + 4 * 100_000, 1, 100_000, 1)
    return header * (size // len(header))


def _objects(size: int) -> bytes:
    data_object = b"\1\0" + bytes(6) + struct.pack("<Q", size // 2) + bytes(48) + b"A=" + bytes(14)
    return data_object * (size // len(data_object))


def _journals(size: int) -> bytes:
    head = bytearray(272)
    head[:8] = b"LPKSHHRH"
    struct.pack_into("<QQ", head, 88, 272, 1 << 40)
    return bytes(head) * (size // 272)


def _headers(size: int) -> bytes:
    """Return an image with a LevelDB header every 7 bytes; each claims almost a whole block."""
    return (b"\0\0\0\0\xf0\x7f\1" * (size // 7 + 1))[:size]


HOSTILE = [_kahadb, _empty_batches, _zeebe, _rlog, _objects, _journals, _headers]


@pytest.mark.slow
@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__.strip("_"))
def test_hostile_image_takes_linear_time(make, tmp_path: Path) -> None:
    seconds, finds = [], []
    for size in (1 << 19, 1 << 21):
        path = tmp_path / f"{size}.img"
        path.write_bytes(make(size))
        with Image(path) as image:
            began = time.process_time()
            carving = Carving(image, list(FORMATS), 512, 0, image.size)
            all_finds = [find for step in carving.steps() for find in step]
            seconds.append(time.process_time() - began)
            finds.append(len(all_finds))
    assert seconds[1] < 0.5 + 8 * seconds[0], (seconds, finds)
    assert seconds[1] < 20
