"""Large logs quickly: one that the executable specification writes, laid end to end."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from reference_impl.formats import FORMATS, named
from walproof.bench.formats import Tile, bench_of

_AT_ONCE = 8 << 20
"""Bytes that are written with one call."""


def tiles() -> Mapping[str, Tile]:
    """The tile of each format that has one, of records as small as they are in practice."""
    return {one: tile for one in FORMATS if (tile := bench_of(one).tile)}


def of_lakes() -> Mapping[str, Tile]:
    """The same for the logs of a lake, whose records are as large as they mostly are."""
    return {one: tile for one in FORMATS if (tile := bench_of(one).lake)}


def made(format_id: str, tile: Tile) -> bytes:
    """One tile: the whole records of a log, nothing before and nothing after them."""
    with tempfile.TemporaryDirectory(prefix="walproof-tile-") as scratch:
        log = Path(scratch) / tile.name
        named(format_id).write(log, list(bench_of(format_id).records(tile.records, tile.size)), {})
        return log.read_bytes()


def room_for(folder: Path, size: int) -> None:
    """Raise ``OSError`` unless the disk holds logs of so many bytes and what is made of them."""
    if shutil.disk_usage(folder).free < 2 * size:
        raise OSError(f"{folder}: no room for logs of {size:,} bytes")


def lay(log: Path, one: bytes, times: int) -> int:
    """Write a log of so many tiles; how many bytes it has."""
    at_once = max(1, _AT_ONCE // len(one))
    with log.open("wb") as file:
        for done in range(0, times, at_once):
            file.write(one * min(at_once, times - done))
    return times * len(one)
