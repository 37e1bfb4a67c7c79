"""The logs that are read: made once, kept in ``.build/bench``, the same everywhere."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance import BUILD
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.bench import journal_entries
from walproof.bench.readers import leveldb_cpp


@dataclass(frozen=True)
class Workload:
    """A log of ``count`` records of ``size`` bytes that do not compress.

    Those of a systemd journal have fields, see :mod:`walproof.bench.journal_entries`.
    ``context`` is what the writer is told besides the records.
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
        """The log; it is made when it is not there."""
        path = BUILD / "bench" / f"{self.format}-{self.count}x{self.size}"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f"{path.name}.{os.getpid()}")
            self._make(new)
            new.rename(path)
        return path

    def _make(self, path: Path) -> None:
        """By the real writer where it is built, else by the executable specification."""
        if self.format == "leveldb-log" and leveldb_cpp.unavailable() is None:
            arguments = ["generate", str(path), str(self.count), str(self.size)]
            subprocess.run([leveldb_cpp.DRIVER, *arguments], check=True)
            return
        if self.format == "systemd-journal":
            records = list(journal_entries.entries(self.count, self.size))
            named(self.format).write(path, records, journal_entries.OPTIONS)
            return
        rng = random.Random(1)
        records = [NewRecord(rng.randbytes(self.size)) for _ in range(self.count)]
        named(self.format).write(path, records, self.context)


WORKLOADS = (
    Workload("100 B records", "leveldb-log", 200_000, 100),
    Workload("64 KiB records", "leveldb-log", 400, 65_536),
    Workload("1 KiB records, Zeebe", "zeebe-journal", 20_000, 1024),
    Workload("1 KiB records, KahaDB", "kahadb-journal", 20_000, 1024),
    Workload("300 B entries, systemd", "systemd-journal", 100_000, 300),
    Workload(
        "100 B entries, zmq-raft",
        "zmq-raft",
        200_000,
        100,
        {"kind": "index", "capacity": 1 << 18},
    ),
)
