"""The logs that are read: made once, kept in ``.build/bench``, the same on every machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.registry import FOLDER, load
from lab.bench import sandbox
from lab.bench.availability import why_not
from lab.bench.format_bench import bench_of
from reference_impl.formats import FORMATS, named

SECONDS = 600
"""How long a real writer may take for a log."""


@dataclass(frozen=True)
class Workload:
    """A log of ``count`` records with ``size`` bytes of payload each.

    ``context`` is what the writer is told beside what it is told for all logs of the format.
    """

    name: str
    format: str
    count: int
    size: int
    context: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def smaller(self, by: int) -> Workload:
        """The same kind of log with fewer records, at least one."""
        return replace(self, count=max(1, self.count // by))

    def log(self) -> Path:
        """The log, which is made when it is not there, alone in a folder."""
        told = "".join(f"-{key}-{value}" for key, value in sorted(self.context.items()))
        name = f"{self.format}-{self.count}x{self.size}{told}"
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
        if bench.writer is not None and not self.context:
            writer = load(FOLDER / bench.writer)
            if why_not(writer) is None:
                arguments = ["generate", str(path), str(self.count), str(self.size)]
                places = [path.parent, writer.output, *writer.writes]
                sandbox.run([*writer.command, *arguments], SECONDS, places)
                return
        records = list(bench.records(self.count, self.size))
        named(self.format).write(path, records, {**bench.context, **self.context})


WORKLOADS = tuple(
    Workload(format=format_id, **asdict(size))
    for format_id in FORMATS
    for size in bench_of(format_id).logs
)
"""What ``python -m lab bench`` reads."""
LARGE_WORKLOADS = tuple(
    Workload(format=format_id, **asdict(size))
    for format_id in FORMATS
    for size in bench_of(format_id).large_logs
)
"""What is read through Spark."""
