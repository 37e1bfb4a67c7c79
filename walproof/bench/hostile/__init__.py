"""The worst known log of each kind, at three sizes: do time and memory grow with the file only?

A reader is asked for a log of n, 2n and 4n bytes, each time in a process of its own. What is four
times as large may take four times as much; :data:`STRAIGHT` says how much more is put down to
chance. To add a log, add a function to the file of its format in
:mod:`walproof.bench.hostile.formats`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from conformance import ROOT
from reference_impl.formats import FORMATS
from reference_impl.register import registers
from walproof.bench.availability import why_no_scan
from walproof.bench.reading import Row

SIZES = (1 << 20, 1 << 21, 1 << 22)
"""Bytes, about: n, 2n and 4n."""
QUICK = (1 << 16, 1 << 17, 1 << 18)
STRAIGHT = 1.5
"""Four times the size may take so many times four times as much."""
LEAST_SECONDS, LEAST_BYTES = 0.1, 4 << 20
"""Less than that at size n counts as that much: constants would be taken for growth."""
READERS = {"executable-spec": "specification", "fast-scan": "scanner"}
TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Hostile:
    """A kind of log that is hard on readers; ``make(size)`` gives one of about ``size`` bytes."""

    name: str
    title: str
    format: str
    suffix: str
    make: Callable[[int], bytes]


def logs() -> Iterator[Hostile]:
    """The logs of all formats."""
    for format_id in FORMATS:
        module = import_module(f"{__name__}.formats.{registers()[format_id].module}")
        for make in module.LOGS:
            name = make.__name__.replace("_", "-")
            title = str(make.__doc__).partition("\n")[0].rstrip(".")
            yield Hostile(name, title, format_id, module.SUFFIX, make)


def measure(
    wanted: Sequence[Hostile],
    sizes: Sequence[int],
    progress: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """A row for each log and reader. Raises what ``subprocess.run`` raises."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="walproof-hostile-") as folder:
        for one in wanted:
            paths = [_written(one, size, Path(folder)) for size in sizes]
            for name, reader in READERS.items():
                row: Row = {"format": one.format, "log": one.name, "title": one.title}
                row["reader"] = name
                if name == "fast-scan" and (why := why_no_scan()) is not None:
                    rows.append(row | {"unavailable": why})
                    continue
                progress(f"{one.format}, {one.name}: {name}")
                rows.append(row | curve([run(path, one.format, reader) for path in paths]))
            for path in paths:
                path.unlink()
    return rows


def curve(found: Sequence[Mapping[str, float]]) -> Row:
    """What three runs say of the growth; each has ``file_bytes``, ``seconds``, ``peak_bytes``.

    ``peak_bytes`` is what the process held at most beyond what it held before it read.
    """
    first, last = found[0], found[-1]
    larger = last["file_bytes"] / first["file_bytes"]
    slower = last["seconds"] / max(first["seconds"], LEAST_SECONDS)
    fatter = last["peak_bytes"] / max(first["peak_bytes"], LEAST_BYTES)
    return {
        "file_bytes": [one["file_bytes"] for one in found],
        "seconds": [round(one["seconds"], 3) for one in found],
        "peak_bytes": [one["peak_bytes"] for one in found],
        "time_ratio": round(slower / larger, 2),
        "memory_ratio": round(fatter / larger, 2),
        "peak_per_file_byte": round(last["peak_bytes"] / last["file_bytes"], 1),
        "is_straight": max(slower, fatter) <= STRAIGHT * larger,
    }


def run(path: Path, format_id: str, reader: str) -> dict[str, float]:
    """Read one log in a process of its own."""
    command = [sys.executable, "-m", "walproof.bench.hostile.worker", str(path), format_id, reader]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=TIMEOUT_SECONDS,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said: dict[str, float] = json.loads(done.stdout)
    return said | {"file_bytes": path.stat().st_size}


def _written(one: Hostile, size: int, folder: Path) -> Path:
    path = folder / f"{one.format}-{one.name}-{size}{one.suffix}"
    path.write_bytes(one.make(size))
    return path
