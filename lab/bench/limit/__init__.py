"""Measure the limit for every reader: read a log, compute its checksums, copy its payloads.

The program in this directory does only this work, and parses nothing. It reads from the page cache,
and computes as many checksums and copies as many payloads as the log has. Before the measurement,
it selects the fastest checksum crate for this processor. The report shows how close each reader
comes to this limit, in CPU time, because other work on the machine hardly affects CPU time.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import tempfile
from pathlib import Path

from conformance import BUILD
from conformance.process import Crash, OverLimit, Timeout, run_program
from lab.bench.contenders import Contender
from lab.bench.format_bench import Limit, bench_of
from lab.bench.workloads import Workload

NAME = "limit"
TIMEOUT_SECONDS = 600
PASSES = 60
SOURCES = ("Cargo.toml", "src/main.rs")


class NotBuilt(Exception):
    """The program cannot be had here; the text says why."""


def contender_of(workload: Workload) -> Contender | None:
    """Return the limit of a workload; None for a format that declares none."""
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
        repeat=PASSES,
        unavailable=why_not,
    )


def runs(limit: Limit, workload: Workload) -> tuple[int, int]:
    """Return how many runs of bytes have a checksum in a log, and how long each is."""
    summed = limit.summed(workload.size)
    if limit.is_joint:
        return workload.count * summed // limit.longest, limit.longest
    fragments = max(1, -(-summed // limit.longest))
    return workload.count * fragments, -(-summed // fragments)


def why_not() -> str | None:
    """Return why there is no limit here; builds the program where that is still to be done."""
    try:
        program()
    except NotBuilt as error:
        return str(error)
    return None


@functools.cache
def program() -> Path:
    """Return the program, built once for each state of its sources. Raises :class:`NotBuilt`."""
    here = Path(__file__).parent
    digest = hashlib.sha256(b"".join((here / name).read_bytes() for name in SOURCES)).hexdigest()
    built = BUILD / "bench" / "limit" / digest[:16]
    if built.exists():
        return built
    if shutil.which("cargo") is None:
        raise NotBuilt("cargo not found")
    built.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=built.parent) as folder:
        for name in SOURCES:
            path = Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            shutil.copyfile(here / name, path)
        manifest = ["--manifest-path", f"{folder}/Cargo.toml", "--target-dir", f"{folder}/target"]
        command = ["cargo", "build", "--quiet", "--release", "--jobs", "2", *manifest]
        try:
            done = run_program(command, TIMEOUT_SECONDS)
        except (Crash, Timeout, OverLimit) as error:
            raise NotBuilt(f"cargo: {error}") from None
        if done.returncode:
            lines = done.stderr.strip().splitlines() or ["no output"]
            raise NotBuilt(f"cargo failed: {lines[0][:200]}")
        # Another process that builds meanwhile builds the same program.
        Path(folder, "target", "release", "limit").replace(built)
    return built
