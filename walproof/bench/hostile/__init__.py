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
from walproof.bench.hostile.commands import COMMANDS, Command
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
COMMAND_SIZES = (1 << 19, 1 << 21)
"""Of the logs that commands are given, in bytes."""
SMALL = 1 << 14
"""Of the log that each is given first, so that what it imports and compiles is not measured."""


@dataclass(frozen=True)
class Hostile:
    """A kind of log that is hard on readers; ``make(size)`` gives one of about ``size`` bytes.

    It is called ``file_name``, as tools expect that are not told its format. ``commands`` are
    those that take logs of this format only. ``field`` is how many bytes one field of it may come
    to when it is decompressed, which a reader holds as a whole.
    """

    name: str
    title: str
    format: str
    file_name: str
    make: Callable[[int], bytes]
    commands: Sequence[Command] = ()
    field: int = 0


def logs() -> Iterator[Hostile]:
    """The logs of all formats."""
    for format_id in FORMATS:
        module = import_module(f"{__name__}.formats.{registers()[format_id].module}")
        for make in module.LOGS:
            name = make.__name__.replace("_", "-")
            title = str(make.__doc__).partition("\n")[0].rstrip(".")
            own = getattr(module, "COMMANDS", ())
            field = getattr(module, "FIELDS", {}).get(make, 0)
            file_name = getattr(module, "NAMES", {}).get(make, module.NAME)
            yield Hostile(name, title, format_id, file_name, make, own, field)


def first_of_each_format() -> list[Hostile]:
    """One log of each format, to show that the measuring runs."""
    return list({log.format: log for log in reversed(list(logs()))}.values())[::-1]


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


def most(size: int, field: int = 0) -> int:
    """Bytes that a command may hold for a log of ``size`` bytes, of which one field has so many."""
    return 16 * size + (64 << 20) + field


def measure_commands(
    wanted: Sequence[Hostile],
    sizes: Sequence[int],
    progress: Callable[[str], None] = lambda _: None,
) -> list[Row]:
    """A row for each log and command that takes it. Raises what ``subprocess.run`` raises."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="walproof-hostile-") as folder:
        for one in wanted:
            small, *paths = [_written(one, size, Path(folder)) for size in (SMALL, *sizes)]
            for command in (*COMMANDS, *one.commands):
                progress(f"{one.format}, {one.name}: {command.name}")
                found = [run_command(path, small, one.format, command) for path in paths]
                rows.append(
                    {
                        "format": one.format,
                        "log": one.name,
                        "command": command.name,
                        "file_bytes": [said["file_bytes"] for said in found],
                        "seconds": [round(said["seconds"], 3) for said in found],
                        "peak_bytes": [said["peak_bytes"] for said in found],
                        "is_within": all(
                            said["peak_bytes"] <= most(int(said["file_bytes"]), one.field)
                            for said in found
                        ),
                    }
                )
    return rows


def run_command(path: Path, small: Path, format_id: str, command: Command) -> dict[str, float]:
    """Run one command on a log, in a process of its own that has run it on a small one before."""
    module = "walproof.bench.hostile.command_worker"
    return _child([module, str(path), str(small), format_id, *command.words], path)


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
    return _child(["walproof.bench.hostile.worker", str(path), format_id, reader], path)


def _child(words: Sequence[str], path: Path) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=TIMEOUT_SECONDS,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said: dict[str, float] = json.loads(done.stdout)
    return said | {"file_bytes": path.stat().st_size}


def _written(one: Hostile, size: int, folder: Path) -> Path:
    path = folder / f"{one.format}-{one.name}-{size}" / one.file_name
    path.parent.mkdir()
    path.write_bytes(one.make(size))
    return path
