"""Logs in memory, and random damage to logs that consist of 32 KiB blocks."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from reference_impl.leveldb_log.layout import BLOCK_SIZE
from walproof.formats.leveldb_log.scanner import block_scan
from walproof.log import Log
from walproof.scanners import window
from walproof.scanners.byte_source import ByteSource

SECTOR = 512


class Memory:
    """A source that is not a file, as remote sources are not."""

    def __init__(self, data: bytes) -> None:
        self.data, self.size = data, len(data)

    def read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]

    def close(self) -> None:
        pass


class InMemory(Log):
    """A log whose source is not a file."""

    def __init__(self, format: str, data: bytes, context: Mapping[str, Any] | None = None) -> None:
        super().__init__(format, Path("none"), context=context)
        self.data = data

    def byte_source(self) -> ByteSource:
        return Memory(self.data)


def small_windows(rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make windows and runs so small that all data crosses a boundary."""
    monkeypatch.setattr(window, "REMOTE_BYTES", BLOCK_SIZE * rng.choice([1, 2, 3]))
    monkeypatch.setattr(block_scan, "MAX_RUN_BYTES", BLOCK_SIZE * rng.choice([1, 2, 3]))
    monkeypatch.setattr(block_scan, "MAX_ROWS", BLOCK_SIZE // 7 * rng.choice([1, 2]))


def random_size(rng: random.Random, near_boundary: int) -> int:
    """Return a size of any magnitude, or ``near_boundary``."""
    most = rng.choice([1, 30, 2000, 20_000, 150_000, 0])
    return rng.randrange(most) if most else near_boundary


def damage(
    rng: random.Random, log: bytearray, odd_record: Callable[[random.Random], bytes]
) -> None:
    """Damage a log at random. ``odd_record`` returns a physical record to insert."""
    at = rng.randrange(len(log) + 1)
    block = at // BLOCK_SIZE * BLOCK_SIZE
    sector = at // SECTOR * SECTOR
    match rng.choice(["flip", "zero", "drop", "repeat", "insert", "cut", "shift", "odd", "tail"]):
        case "flip" if at < len(log):
            log[at] ^= 1 << rng.randrange(8)
        case "zero":
            end = min(sector + SECTOR * rng.choice([1, 2, 8, 64, 200]), len(log))
            log[sector:end] = bytes(end - sector)
        case "drop":
            del log[block : block + BLOCK_SIZE * rng.randrange(1, 3)]
        case "repeat":
            log[block:block] = log[block : block + BLOCK_SIZE]
        case "insert":
            log[block:block] = rng.choice([bytes(BLOCK_SIZE), rng.randbytes(BLOCK_SIZE)])
        case "cut":
            del log[at:]
        case "shift":
            log[at:at] = bytes(rng.randrange(1, 40))
        case "odd":
            record = odd_record(rng)
            log[at : at + len(record)] = record
        case "tail":
            log += rng.choice([bytes(rng.randrange(70_000)), odd_record(rng)])
