"""The output folder of a sweep, and running the shards that are left of it.

``plan.json`` says what is being swept. Each finished shard has its rows in ``sweep/NNNNN.parquet``
and, written last, its counts and findings in ``shards/NNNNN.json``: a shard is done exactly when
that marker is there. Every file is written atomically.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from conformance.saving import UNFINISHED, save
from conformance.scratch import Held
from walproof.sweep.plan import Enumerations, Plan
from walproof.sweep.shard import ShardResult
from walproof.sweep.shard_runner import ShardRunner
from walproof.worker_pool import map_unordered

MAX_DEATHS = 3
"""How often a worker process may die before the sweep gives up."""


class AnotherSweep(Exception):
    """The output folder holds a different sweep from this one."""


class ShardFailed(Exception):
    """Workers died: a fault of the machine or of ours, never of a reader."""


class SweepFolder:
    """One output folder."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def begin(self, plan: Plan, fresh: bool, replace: bool = False) -> list[int]:
        """Open the folder for a sweep; return the shards that are still to do.

        Another sweep in the folder is replaced if ``fresh``, or if the folder may hold any sweep
        (``replace``). Raises :class:`AnotherSweep`.
        """
        described = plan.describe() | {"digest": plan.digest}
        path = self.path / "plan.json"
        earlier = json.loads(path.read_bytes()) if path.exists() else {}
        is_other = bool(earlier) and earlier["digest"] != plan.digest
        if fresh or (replace and is_other):
            self.clear()
            earlier = {}
        elif is_other:
            differs = [
                key for key in described if key != "digest" and earlier.get(key) != described[key]
            ]
            raise AnotherSweep(
                f"{self.path}: holds a sweep with another {' and '.join(differs) or 'cut'};"
                " say --fresh to replace it, or another --out"
            )
        for name in ("sweep", "shards"):
            (self.path / name).mkdir(parents=True, exist_ok=True)
        for half in [*self.path.glob(f".*{UNFINISHED}"), *self.path.glob(f"*/.*{UNFINISHED}")]:
            half.unlink()
        if not earlier:
            self.write_json("plan.json", described)
        return sorted(set(range(len(plan.shards))) - self.done())

    def clear(self) -> None:
        """Remove an earlier sweep, and nothing else that is there."""
        for name in ("plan.json", "summary.json"):
            (self.path / name).unlink(missing_ok=True)
        for name in ("shards", "sweep", "findings", "proposals"):
            shutil.rmtree(self.path / name, ignore_errors=True)

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, data)

    def write_json(self, name: str, body: Mapping[str, Any]) -> None:
        """Write a JSON file."""
        self.write(name, json.dumps(body, indent=1, ensure_ascii=False).encode() + b"\n")

    def write_table(self, name: str, table: pa.Table) -> None:
        """Write a Parquet file."""
        out = pa.BufferOutputStream()
        pa.parquet.write_table(table, out, compression="zstd")
        self.write(name, out.getvalue().to_pybytes())

    def done(self) -> set[int]:
        """Return the numbers of the shards that are finished."""
        return {int(path.stem) for path in (self.path / "shards").glob("[0-9]*.json")}

    def finish(self, result: ShardResult) -> None:
        """Store a finished shard: its rows, then its marker. Storing it twice changes nothing."""
        name = f"{result.number:05d}"
        self.write_table(f"sweep/{name}.parquet", result.table())
        self.write_json(f"shards/{name}.json", result.to_json())

    def marker(self, number: int) -> dict[str, Any]:
        """Return the counts and findings of a finished shard."""
        return dict(json.loads((self.path / f"shards/{number:05d}.json").read_bytes()))

    def markers(self) -> list[dict[str, Any]]:
        """Return those of all finished shards."""
        return [self.marker(number) for number in sorted(self.done())]

    def fingerprints(self) -> Iterator[pa.Table]:
        """Yield the column ``fingerprint`` of each shard."""
        for path in sorted((self.path / "sweep").glob("[0-9]*.parquet")):
            with path.open("rb") as file:  # Arrow takes no name that is not UTF-8
                yield pa.parquet.read_table(file, columns=["fingerprint"])


def run_shards(
    plan: Plan,
    folder: SweepFolder,
    todo: Sequence[int],
    seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda shards, cases: None,
) -> float:
    """Run shards, one process for each core; return the seconds they took.

    After ``seconds`` no shard is begun any more. ``progress`` is called with the numbers of shards
    and cases that were finished since the last call. Raises :class:`ShardFailed`.
    """
    started = time.monotonic()
    deadline = None if seconds is None else started + seconds
    left = list(todo)
    deaths = 0
    # The scratch folder belongs to this process, which removes it whatever ends the workers.
    scratch = Held()
    try:
        while left:
            given = (plan, folder, scratch.folder)
            try:
                for cases in map_unordered(_run_shard, left, _start_worker, given, deadline):
                    progress(1, cases)
                break
            except BrokenProcessPool:
                deaths += 1
                left = sorted(set(left) - folder.done())
                if deaths == MAX_DEATHS:
                    text = f"a process died {deaths} times, {len(left)} shards are left"
                    raise ShardFailed(text) from None
    finally:
        scratch.close()
    return time.monotonic() - started


_worker: tuple[ShardRunner, SweepFolder] | None = None
"""In a worker process: what runs its shards, and where they are stored."""


def _start_worker(plan: Plan, folder: SweepFolder, scratch: Path) -> None:
    global _worker
    _worker = ShardRunner(plan, Path(tempfile.mkdtemp(dir=scratch))), folder


def _run_shard(number: int) -> int:
    """Run and store a shard; return how many cases it had."""
    assert _worker is not None
    runner, folder = _worker
    result = runner.run(number)
    folder.finish(result)
    return len(result.rows)


@contextlib.contextmanager
def runner_here(plan: Plan, enumerations: Enumerations | None = None) -> Iterator[ShardRunner]:
    """Run cases in this process, for minimising; nothing is stored."""
    held = Held()
    runner = ShardRunner(plan, held.folder, enumerations)
    try:
        yield runner
    finally:
        runner.close()
        held.close()
