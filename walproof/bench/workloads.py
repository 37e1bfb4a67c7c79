"""The logs that are read: made once, kept in ``.build/bench``, the same on every machine."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from conformance import BUILD
from conformance.registry import FOLDER, load
from reference_impl.formats import FORMATS, named
from walproof.bench import boxed
from walproof.bench.availability import why_not
from walproof.bench.formats import bench_of

SECONDS = 600
"""How long a real writer may take for a log."""


@dataclass(frozen=True)
class Workload:
    """A log of ``count`` records with ``size`` bytes of payload each."""

    name: str
    format: str
    count: int
    size: int

    def smaller(self, by: int) -> Workload:
        """The same kind of log with fewer records, at least one."""
        return replace(self, count=max(1, self.count // by))

    def log(self) -> Path:
        """The log, which is made when it is not there, alone in a folder."""
        name = f"{self.format}-{self.count}x{self.size}"
        folder = BUILD / "bench" / "logs" / name
        if not folder.exists():
            new = folder.with_name(f"{name}.{os.getpid()}")
            new.mkdir(parents=True)
            self._make(new / name)
            new.rename(folder)
        return folder / name

    def _make(self, path: Path) -> None:
        """By the real writer where there is one and it is built, else by the specification's."""
        bench = bench_of(self.format)
        if bench.writer is not None:
            writer = load(FOLDER / bench.writer)
            if why_not(writer) is None:
                arguments = ["generate", str(path), str(self.count), str(self.size)]
                places = [path.parent, writer.output, *writer.writes]
                boxed.run([*writer.command, *arguments], SECONDS, places)
                return
        records = list(bench.records(self.count, self.size))
        named(self.format).write(path, records, bench.context)


WORKLOADS = tuple(
    Workload(format=format_id, **asdict(size))
    for format_id in FORMATS
    for size in bench_of(format_id).logs
)
"""What ``walproof bench`` reads."""
LARGE_WORKLOADS = tuple(
    Workload(format=format_id, **asdict(size))
    for format_id in FORMATS
    for size in bench_of(format_id).large_logs
)
"""What is read through Spark."""
