"""What an audit takes on Spark, and without: by the clock, since what is asked is how many wait.

Whole commands, start included, on folders of logs: many of one size, many small ones, and one
changed among those of an audit before. Each is audited on Spark, with `--master none` on all
processors, and with `--master none` on one, which is the peer. The audit of a single small log
tells what the start takes.

Logs are tiles of the formats, laid end to end (:class:`walproof.bench.formats.Tile`). They lie in a
scratch folder, one lake at a time, and are removed.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from walproof.bench import holding, tiles
from walproof.bench.reading import Row, ratio
from walproof.worker_pool import core_count

_MAIN = "from walproof.cli import main; main()"
_ONE = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
ONE_PROCESSOR = "--master none, one processor"
CONTENDERS = {
    "on Spark": (sys.executable, "-c", _MAIN, "audit", "--master", "local[*]"),
    "--master none": (sys.executable, "-c", _MAIN, "audit", "--master", "none"),
    ONE_PROCESSOR: (sys.executable, "-c", _ONE + _MAIN, "audit", "--master", "none"),
}


@dataclass(frozen=True)
class Lake:
    """``count`` logs of about ``size`` bytes each, of all formats that have a tile, in turn.

    With ``changed``, what is measured is the second audit, after so many of them have grown. Of the
    one that ``is_start``, an audit takes as long as it takes to begin.
    """

    name: str
    count: int
    size: int
    changed: int = 0
    is_start: bool = False


LAKES = (
    Lake("one small log", 1, 32 << 10, is_start=True),
    Lake("one log of 2.4 GB", 1, 2_400_000_000),
    Lake("142 logs of 17 MB", 142, 17_000_000),
    Lake("142 logs of 17 MB, one changed", 142, 17_000_000, changed=1),
    Lake("1,000 small logs", 1_000, 32 << 10),
    Lake("20,000 small logs", 20_000, 32 << 10),
)
QUICK = (
    Lake("one small log", 1, 1, is_start=True),
    Lake("4 small logs, one changed", 4, 1, changed=1),
)


def measure(
    lakes: Sequence[Lake],
    rounds: int,
    progress: Callable[[str], None] = lambda _: None,
    contenders: Mapping[str, Sequence[str]] = CONTENDERS,
) -> list[Row]:
    """A row for each contender and lake, ``wall_seconds`` in the order of the rounds.

    Raises ``OSError`` for an audit that fails, and when the disk has no room for a lake.
    """
    rows: list[Row] = []
    for lake in lakes:
        rows += _measured(lake, rounds, progress, contenders)
    by_name = {(row["workload"], row["contender"]): row for row in rows}
    start = next((lake.name for lake in lakes if lake.is_start), None)
    starts = {contender: row for (lake, contender), row in by_name.items() if lake == start}
    for row in rows:
        row["beyond_start"] = row["of_all_processors"] = None
        own = starts.get(row["contender"])
        alone = by_name.get((row["workload"], ONE_PROCESSOR))
        if own and alone and row is not own:
            row |= _against_one(row, own, alone, starts[ONE_PROCESSOR])
    return rows


def _measured(
    lake: Lake,
    rounds: int,
    progress: Callable[[str], None],
    contenders: Mapping[str, Sequence[str]],
) -> Iterator[Row]:
    walls: dict[str, list[float]] = {name: [] for name in contenders}
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    with tempfile.TemporaryDirectory(prefix="walproof-lake-") as scratch:
        folder = Path(scratch) / "lake"
        progress(f"making a lake: {lake.name}")
        size, grow = _make(lake, folder)
        for number in range(rounds + 1):
            for name, command in contenders.items():
                progress(f"{lake.name}, round {number} of {rounds}: {name}")
                wall, said = _audit(folder, grow, Path(scratch) / "out", command)
                if number:  # the first round compiles, and puts the logs into memory
                    walls[name].append(round(wall, 3))
                    seconds[name].append(round(said["seconds"], 3))
    for name in contenders:
        peer = ONE_PROCESSOR if ONE_PROCESSOR in contenders else next(iter(contenders))
        yield {
            "workload": lake.name,
            "contender": name,
            "logs": lake.count,
            "bytes": size,
            "wall_seconds": walls[name],
            "seconds": seconds[name],
            "peer": peer,
            "ratio_to_peer": ratio(walls[name], walls[peer]),
        }


def _audit(
    folder: Path, grow: Mapping[Path, bytes], out: Path, command: Sequence[str]
) -> tuple[float, dict[str, float]]:
    words = [*command, str(folder), "--out", str(out)]
    try:
        if grow:
            holding.run(words, folder)
            for log, one in grow.items():
                _grow(log, one)
        started = time.perf_counter()
        said = holding.run(words, folder)
        return time.perf_counter() - started, said
    finally:
        shutil.rmtree(out, ignore_errors=True)


def _grow(log: Path, one: bytes) -> None:
    with log.open("ab") as file:
        file.write(one)


def _make(lake: Lake, folder: Path) -> tuple[int, dict[Path, bytes]]:
    """Write the logs of a lake, each in a folder of its own.

    How many bytes they have, and the tile of each that is to grow.
    """
    kinds = [(tile, tiles.made(format_id, tile)) for format_id, tile in tiles.of_lakes().items()]
    size, grow = 0, {}
    folder.mkdir()
    tiles.room_for(folder, lake.count * max(lake.size, *(len(one) for _, one in kinds)))
    for number in range(lake.count):
        tile, one = kinds[number % len(kinds)]
        log = folder / f"{number // 100:04d}" / f"{number % 100:02d}" / tile.name
        log.parent.mkdir(parents=True)
        size += tiles.lay(log, one, max(1, lake.size // len(one)))
        if number < lake.changed:
            grow[log] = one
    return size, grow


def _against_one(row: Row, start: Row, one: Row, start_of_one: Row) -> Row:
    """What an audit takes after its start, against what one processor takes.

    ``beyond_start``: against an even share of all that one processor takes; 1 is the work of one
    processor divided by all. ``of_all_processors``: how much of them is put to use, both without
    their starts; 1 is all of each.
    """
    taken, begun, alone, begun_alone = (
        float(statistics.median(each["wall_seconds"])) for each in (row, start, one, start_of_one)
    )
    used = None
    if min(taken - begun, alone - begun_alone) > 0:
        used = round((alone - begun_alone) / (taken - begun) / core_count(), 2)
    return {
        "beyond_start": round((taken - begun) / (alone / core_count()), 2),
        "of_all_processors": used,
    }
