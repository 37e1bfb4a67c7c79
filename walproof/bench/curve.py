"""Time and memory against the number of records: straight, and flat.

Whole commands on logs of ten times as many records at each step: processor time of the command and
of all that it starts, and the most memory that any one process of them held. A log is a tile, which
the executable specification writes, laid end to end: the file of the format says how many records
make one. Logs lie in a scratch folder, one at a time, and are removed.
"""

from __future__ import annotations

import itertools
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from walproof.bench import tiles
from walproof.bench.formats import Tile
from walproof.bench.holding import run

Row = dict[str, Any]
QUICK = (1_000, 10_000)
_WALPROOF = (sys.executable, "-m", "walproof")
COMMANDS = {
    "walproof LOG": (*_WALPROOF, "summary", "LOG"),
    "walproof read --jsonl": (*_WALPROOF, "read", "--jsonl", "LOG"),
    "walproof audit --master none": (*_WALPROOF, "audit", "LOG", "--master", "none", "--out"),
    "walproof audit, on Spark": (*_WALPROOF, "audit", "LOG", "--master", "local[2]", "--out"),
}
"""The folder for what an audit writes is added at the end."""
STRAIGHT, FLAT, ALWAYS = 1.3, 1.3, 384 << 20
"""A step may cost so many times what its records call for; memory may grow by so much of what the
step before held, or up to so many bytes, which kernels and batches of any log take."""


def counts_to(most: int) -> list[int]:
    """A hundred thousand records, and ten times as many as often as it goes."""
    counts = [100_000]
    while 10 * counts[-1] <= most:
        counts.append(10 * counts[-1])
    return counts


def measure(
    counts: Sequence[int],
    progress: Callable[[str], None] = lambda _: None,
    commands: dict[str, tuple[str, ...]] = COMMANDS,
) -> list[Row]:
    """A row for each command and each format whose logs are tiled.

    Raises ``OSError`` for a command that fails, and when the disk has no room for the largest log
    and what an audit writes of it.
    """
    rows: list[Row] = []
    for format_id, tile in tiles.tiles().items():
        rows += _measured(format_id, tile, counts, progress, commands)
    return rows


def _measured(
    format_id: str,
    tile: Tile,
    counts: Sequence[int],
    progress: Callable[[str], None],
    commands: dict[str, tuple[str, ...]],
) -> Iterator[Row]:
    said: dict[str, list[Row]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="walproof-curve-") as scratch:
        log = Path(scratch) / f"log{Path(tile.name).suffix}"
        one_tile = tiles.made(format_id, tile)
        for count in counts:
            times = -(-count // tile.records)
            records = times * tile.records
            progress(f"{format_id}: making a log of {records:,} records")
            tiles.room_for(log.parent, times * len(one_tile))
            size = tiles.lay(log, one_tile, times)
            for name, command in commands.items():
                progress(f"{format_id}, {records:,} records: {name}")
                out = Path(scratch) / "out"
                words = [*command, str(out)] if command[-1] == "--out" else command
                started = time.perf_counter()
                one = run(words, log)
                wall = time.perf_counter() - started
                shutil.rmtree(out, ignore_errors=True)
                said[name].append({"records": records, "file_bytes": size,
                                   "wall_seconds": round(wall, 3), **one})  # fmt: skip
            log.unlink()
    for name, steps in said.items():
        yield {
            "workload": f"{format_id}, records of {tile.size} B",
            "contender": name,
            "records": [one["records"] for one in steps],
            "file_bytes": [one["file_bytes"] for one in steps],
            "seconds": [round(one["seconds"], 3) for one in steps],
            "wall_seconds": [one["wall_seconds"] for one in steps],
            "peak_bytes": [one["peak_bytes"] for one in steps],
            "is_straight": _is_straight(steps),
            "is_flat": _is_flat(steps),
        }


def _is_straight(steps: Sequence[Row]) -> bool:
    """Whether time grows no faster than records; the start makes it grow slower."""
    return all(
        after["seconds"] <= STRAIGHT * before["seconds"] * after["records"] / before["records"]
        for before, after in itertools.pairwise(steps)
    )


def _is_flat(steps: Sequence[Row]) -> bool:
    """Whether memory stops growing."""
    return all(
        after["peak_bytes"] <= max(FLAT * before["peak_bytes"], ALWAYS)
        for before, after in itertools.pairwise(steps)
    )
