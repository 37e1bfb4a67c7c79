"""The logs that are read: written once into ``.build/bench``, the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance import BUILD
from conformance.registry import FOLDER, load
from conformance.saving import build_once
from lab.bench.contenders import why_not
from lab.bench.format_bench import bench_of
from lab.bench.isolated_run import printed
from reference_impl.formats import FORMATS, named

#: For a real writer to write a log.
TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class Workload:
    """A log of ``count`` records with ``size`` bytes of payload each.

    ``context`` is added to the context in which all logs of the format are written.
    """

    name: str
    format: str
    count: int
    size: int
    context: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def smaller(self, by: int) -> Workload:
        """Return a log of the same size of records with fewer of them, at least one."""
        return replace(self, count=max(1, self.count // by))

    def log(self) -> Path:
        """Return the path of the log, which is written when it is not there, alone in a folder."""
        context = "".join(f"-{key}-{value}" for key, value in sorted(self.context.items()))
        name = f"{self.format}-{self.count}x{self.size}{context}"
        folder = BUILD / "bench" / "logs" / name
        if not folder.exists():
            with build_once(folder) as unfinished:
                self._write(unfinished / name)
        return folder / name

    def _write(self, path: Path) -> None:
        """Use the real writer if there is one and it is built, else the specification's."""
        bench = bench_of(self.format)
        if bench.writer is not None and not self.context:
            writer = load(FOLDER / bench.writer)
            if why_not(writer) is None:
                arguments = ["generate", str(path), str(self.count), str(self.size)]
                writes = [path.parent, writer.output, *writer.writes]
                printed([*writer.command, *arguments], TIMEOUT_SECONDS, writes)
                return
        records = list(bench.records(self.count, self.size))
        named(self.format).write(path, records, {**bench.context, **self.context})


#: The workloads of ``python -m lab bench``.
WORKLOADS = tuple(
    Workload(format=format_id, **asdict(size))
    for format_id in FORMATS
    for size in bench_of(format_id).logs
)
#: The workloads that Spark reads.
LARGE_WORKLOADS = tuple(
    Workload(format=format_id, **asdict(size))
    for format_id in FORMATS
    for size in bench_of(format_id).large_logs
)
