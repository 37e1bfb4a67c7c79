"""Frames of SQLite logs without a header, and bytes after a log."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from reference_impl.answer import collect
from reference_impl.formats import named
from reference_impl.sqlite_wal.layout import PAGE_SIZES, Header, Order, frames

FORMAT = "sqlite-wal"
COUNT = 9


def log_of(page_size: int, order: Order = "<", seed: int = 1, count: int = COUNT) -> bytes:
    """Return a log with ``count`` transactions; every third transaction has two pages."""
    rng = random.Random(seed)
    header = Header(order, page_size, 3, rng.randbytes(8))
    images = []
    for number in range(count):
        if number % 3 == 0:
            images.append((7, 0, rng.randbytes(page_size)))
        images.append((number + 1, 40, rng.randbytes(page_size)))
    return header.to_bytes() + frames(images, header, header.checksum)[0]


def payloads(log: bytes, tmp_path: Path) -> list[str]:
    """Return the page images of the transactions of a whole log, as hexadecimal text."""
    path = tmp_path / "whole-wal"
    path.write_bytes(log)
    return [one.payload.hex() for one in collect(named(FORMAT).read(path, "recover", {})).records]


@pytest.mark.parametrize(("page_size", "order"), [*zip(PAGE_SIZES, "<>" * 4, strict=True)])
def test_transactions_after_an_overwritten_start(
    page_size: int, order: Order, builder, carve, tmp_path: Path
) -> None:
    log = log_of(page_size, order)
    at = builder.put(builder.random.randbytes(512) + log[512:])
    result = carve(builder.save(tmp_path / "disk.img"))
    (row,) = result.rows
    # Slot 1 is overwritten. Slot 2 ends the same transaction, and no earlier frame proves it.
    assert (row["kind"], row["certainty"], row["records"]) == ("loose", "checksum", COUNT - 1)
    second = at + 32 + 24 + page_size
    assert (row["offset"], row["length"]) == (second, at + len(log) - second)
    assert [one["payload"] for one in result.loose] == payloads(log, tmp_path)[1:]
    assert [one["offset"] - at - 32 for one in result.loose][:2] == [
        2 * (24 + page_size),
        3 * (24 + page_size),
    ]
    assert all(one["after_loss"] for one in result.loose)


def test_frames_of_an_older_generation_are_loose(builder, carve, tmp_path: Path) -> None:
    log, older = log_of(512, count=3), log_of(512, seed=2)
    at = builder.put(log + older[len(log) :])
    result = carve(builder.save(tmp_path / "disk.img"))
    first, second = result.rows
    assert (first["offset"], first["length"], first["verdict"]) == (at, len(log), "intact")
    assert (second["offset"], second["kind"]) == (at + len(log), "loose")
    assert "continues" not in second
    whole = payloads(older, tmp_path)
    expected = [one["payload"] for one in result.loose]
    assert len(expected) > 4 and expected == whole[-len(expected) :]


def test_salts_tell_the_log_of_loose_frames(builder, carve, tmp_path: Path) -> None:
    log = log_of(4096)
    builder.put(log_of(4096, seed=2))
    at = builder.put(log[:8192])
    second = builder.put(log[8192:])
    result = carve(builder.save(tmp_path / "disk.img"))
    (row,) = [row for row in result.rows if row["kind"] == "loose"]
    assert row["offset"] >= second and row["continues"] == at


def test_neighbouring_frames_of_two_page_sizes(builder, carve, tmp_path: Path) -> None:
    one, other = log_of(512), log_of(2048, ">", seed=2)
    builder.put(one[32 + 536 :] + other[32 + 2072 :], align=8)
    result = carve(builder.save(tmp_path / "disk.img"))
    expected = payloads(one, tmp_path)[1:] + payloads(other, tmp_path)[1:]
    assert [record["payload"] for record in result.loose] == expected


def test_one_frame_without_a_header_is_not_found(builder, carve, tmp_path: Path) -> None:
    builder.put(log_of(512)[32 : 32 + 536], align=8)
    assert carve(builder.save(tmp_path / "disk.img")).rows == []


@pytest.mark.parametrize(
    "pattern",
    [
        struct.pack(">2I", 1, 1),
        struct.pack(">6I", 1, 1, 7, 7, 3, 3),
        struct.pack(">6I", 1, 1, 7, 7, 3, 3) + bytes(512),
    ],
    ids=["8 bytes", "24 bytes", "a slot"],
)
def test_repeated_bytes_are_no_frames(pattern: bytes, builder, carve, tmp_path: Path) -> None:
    builder.data += pattern * ((2 << 20) // len(pattern))
    log = log_of(512)
    at = builder.put(log)
    (row,) = carve(builder.save(tmp_path / "disk.img")).rows
    assert (row["offset"], row["length"]) == (at, len(log))


def test_false_links_cost_linear_time(builder, carve, tmp_path: Path) -> None:
    """Slots with equal salts but unlinked checksums are rejected in linear time."""
    for number in range(4000):
        builder.data += struct.pack(">5I", 1, 1, 7, 7, number) + bytes(516)
    assert carve(builder.save(tmp_path / "disk.img")).rows == []
