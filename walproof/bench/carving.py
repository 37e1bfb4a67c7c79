"""How fast an image is carved, beside a search for one signature in it.

The image is random bytes, then the programs and libraries of this Python, in turns, with logs from
the vectors between them. What it takes to begin, most of it to load
numba, is in each figure, and measured apart as well: a disk is larger than this image. The peer is
``grep``, which looks for the fixed bytes of all formats that have some, and verifies nothing.
"""

from __future__ import annotations

import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from conformance import VECTORS
from reference_impl.formats import FORMATS
from walproof.bench.reading import Row, ratio
from walproof.carve.formats import __name__ as rooms
from walproof.carve.model import Pattern

SIZE, QUICK = 512 << 20, 16 << 20
PIECE = 4 << 20
PAGE = 4096
LOGS = (".log", ".rlog", ".snap", ".journal")
PEER = "grep"
SECONDS = 600
LEAST = 4
"""Fixed bytes that a pattern must have for grep to look for it."""


def measure(size: int, rounds: int, progress: Callable[[str], None] = lambda _: None) -> list[Row]:
    """A row for all formats at once, one for each alone, and one for the peer."""
    grep = shutil.which("grep")
    with tempfile.TemporaryDirectory(prefix="walproof-bench-") as folder:
        image = Path(folder, "image")
        make(image, size)
        commands = {"walproof carve": _carve(image)}
        commands |= {f"walproof carve --format {one}": _carve(image, one) for one in FORMATS}
        if grep is not None:
            commands[PEER] = [grep, "-obUaP", "|".join(_expressions()), str(image)]
        seconds: dict[str, list[float]] = {name: [] for name in commands}
        starts: dict[str, list[float]] = {name: [] for name in commands if name != PEER}
        finds: dict[str, int] = {}
        for command in commands.values():
            _time(command)  # kernels are compiled, and the image is in memory
        for number in range(rounds):
            for name, command in commands.items():
                progress(f"carving, round {number + 1} of {rounds}: {name}")
                spent, finds[name] = _time(command)
                seconds[name].append(spent)
                if name in starts:
                    starts[name].append(_time([*command, "--to", str(PAGE)])[0])
    rows: list[Row] = []
    for name, own in seconds.items():
        median = statistics.median(own)
        rows.append(
            _named(name)
            | {
                "image_bytes": size,
                "finds": finds[name],
                "seconds": [round(one, 6) for one in own],
                "mb_per_second": round(size / median / 1e6, 3),
                "start_seconds": [round(one, 6) for one in starts.get(name, [])],
                "peer": PEER if grep else None,
                "ratio_to_peer": ratio(own, seconds[PEER]) if grep else None,
            }
        )
    return rows if grep else [*rows, _named(PEER) | {"unavailable": "grep not found"}]


def _named(name: str) -> Row:
    return {"workload": "an image, processor time, start included", "contender": name}


def make(path: Path, size: int) -> None:
    """An image of so many bytes, the same in each run on one machine."""
    chance = random.Random(7)
    programs = _programs()
    logs = [
        one for one in sorted(VECTORS.glob("*/[m-z]*.*")) if one.suffix in LOGS and one.is_file()
    ]
    with path.open("xb") as image:
        while image.tell() < size:
            image.write(chance.randbytes(PIECE))
            log = chance.choice(logs).read_bytes()
            image.write(log + bytes(-len(log) % PAGE))
            image.write(b"".join(next(programs) for _ in range(PIECE >> 16)))
        image.truncate(size)


def _programs() -> Iterator[bytes]:
    """Pieces of programs and libraries, without end."""
    home = Path(os.__file__).parent
    paths = [Path(sys.executable), *sorted(home.rglob("*.so")), *sorted(home.glob("*.py"))]
    while True:
        for path in paths:
            with path.open("rb") as file:
                while piece := file.read(1 << 16):
                    yield piece.ljust(1 << 16, b"\0")


def _carve(image: Path, format_id: str | None = None) -> list[str]:
    command = [sys.executable, "-m", "walproof", "carve", "--json", str(image)]
    return [*command, "--format", format_id] if format_id else command


def _expressions() -> list[str]:
    from walproof.by_format import module_of

    patterns = [one for name in FORMATS for one in module_of(name, rooms).Carver.patterns]
    return [_expression(one) for one in patterns if _fixed(one) >= LEAST and any(one.value)]


def _fixed(pattern: Pattern) -> int:
    return (pattern.mask or b"\xff" * len(pattern.value)).count(0xFF)


def _expression(pattern: Pattern) -> str:
    """A pattern as grep takes it: bytes that are not fixed in all bits may be anything."""
    mask = pattern.mask or b"\xff" * len(pattern.value)
    return "".join(
        f"\\x{byte:02x}" if bits == 0xFF else "[\\s\\S]"
        for byte, bits in zip(pattern.value, mask, strict=True)
    )


def _time(command: list[str]) -> tuple[float, int]:
    """Seconds of processor time, and how many lines were printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command, capture_output=True, timeout=SECONDS, env=os.environ | {"LC_ALL": "C"}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode > 1:
        raise OSError(f"{command[0]}: {done.stderr.decode(errors='replace').strip()[-200:]}")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, len(done.stdout.splitlines())
