"""What no reader can be quicker than: a log is read, its bytes are summed, payloads are copied.

The program in this folder does that and nothing else: it parses nothing and decides nothing. It
reads from the page cache, sums as many runs of bytes as the log has checksums with the quickest
code that the registry of Rust has for this processor (the candidates are tried at that length
before the clock starts), and copies as many payloads as the log has records. Each reader of this
project is shown with its share of that, by processor time, so that other work on the machine
changes little.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from conformance import BUILD
from lab.bench.contender import Contender
from lab.bench.format_bench import Limit, bench_of
from lab.bench.workloads import Workload

NAME = "limit"
SECONDS = 600
REPEAT = 60
SOURCES = ("Cargo.toml", "src/main.rs")


class NotBuilt(Exception):
    """The program cannot be had here; the text says why."""


def contender_of(workload: Workload) -> Contender | None:
    """The limit of a workload; None for a format that declares none."""
    limit = bench_of(workload.format).limit
    if limit is None:
        return None

    def command(log: Path, repeat: int) -> list[str]:
        numbers = (repeat, workload.count, workload.size, limit.checksum, *runs(limit, workload))
        return [str(program()), str(log), *map(str, numbers)]

    return Contender(
        name=NAME,
        title=f"read, {limit.checksum} and copy: the bytes alone",
        format=workload.format,
        command=command,
        repeat=REPEAT,
        unavailable=why_not,
    )


def runs(limit: Limit, workload: Workload) -> tuple[int, int]:
    """How many runs of bytes are summed in a log, and how long each is."""
    summed = limit.summed(workload.size)
    if limit.is_joint:
        return workload.count * summed // limit.longest, limit.longest
    fragments = max(1, -(-summed // limit.longest))
    return workload.count * fragments, -(-summed // fragments)


def why_not() -> str | None:
    """Why there is no limit here; builds the program where that is still to be done."""
    try:
        program()
    except NotBuilt as error:
        return str(error)
    return None


@functools.cache
def program() -> Path:
    """The program, built once for each state of its sources and kept. Raises :class:`NotBuilt`."""
    here = Path(__file__).parent
    digest = hashlib.sha256(b"".join((here / name).read_bytes() for name in SOURCES)).hexdigest()
    kept = BUILD / "bench" / "limit" / digest[:16]
    if kept.exists():
        return kept
    if shutil.which("cargo") is None:
        raise NotBuilt("cargo not found")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        for name in SOURCES:
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            shutil.copyfile(here / name, path)
        command = ["cargo", "build", "--quiet", "--release", "--jobs", "2"]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=SECONDS)
        except subprocess.CalledProcessError as error:
            lines = error.stderr.decode(errors="replace").strip().splitlines() or ["no output"]
            raise NotBuilt(f"cargo failed: {lines[0][:200]}") from None
        except subprocess.TimeoutExpired:
            raise NotBuilt(f"cargo took more than {SECONDS} s") from None
        # Whoever builds at the same time makes the same program.
        Path(folder, "target", "release", "limit").replace(kept)
    return kept
