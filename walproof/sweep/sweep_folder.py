"""The output folder of a sweep, and the worker pool that runs its remaining shards.

``plan.json`` identifies the sweep. A finished shard has its rows in ``sweep/NNNNN.parquet``. It has
its counts and findings in the marker file ``shards/NNNNN.json``, which is written last. Every file
is written atomically.
"""

from __future__ import annotations

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
from walproof.sweep.plan import Plan
from walproof.sweep.shard import ShardResult
from walproof.sweep.shard_runner import ShardRunner
from walproof.worker_pool import map_unordered


class AnotherSweep(Exception):
    """Raised if the output folder holds a different sweep."""


class ShardFailed(Exception):
    """Raised if a worker died: an error of the machine or of this program, never of a reader."""


class SweepFolder:
    """The output folder of a sweep."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def begin(self, plan: Plan, fresh: bool, replace: bool = False) -> list[int]:
        """Open the folder for a sweep, and return the numbers of the shards that still have to run.

        If ``fresh`` is true, an earlier sweep is removed. If ``replace`` is true, an earlier sweep
        is removed only if it differs. Raises :class:`AnotherSweep`.
        """
        described = plan.describe() | {"digest": plan.digest}
        path = self.path / "plan.json"
        earlier = json.loads(path.read_bytes()) if path.exists() else {}
        is_other = bool(earlier) and earlier["digest"] != plan.digest
        if fresh or (replace and is_other):
            self.clear()
            earlier = {}
        elif is_other:
            differs = [key for key, value in described.items() if earlier.get(key) != value]
            differs.remove("digest")
            raise AnotherSweep(
                f"{self.path}: holds a sweep with different {' and '.join(differs) or 'shards'};"
                " use --fresh to replace it, or another --out"
            )
        for name in ("sweep", "shards"):
            (self.path / name).mkdir(parents=True, exist_ok=True)
        self.remove_unfinished()
        if not earlier:
            self.write_json("plan.json", described)
        return sorted(set(range(len(plan.shards))) - self.done())

    def remove_unfinished(self) -> None:
        """Remove temporary files of workers that were killed."""
        for half in [*self.path.glob(f".*{UNFINISHED}"), *self.path.glob(f"*/.*{UNFINISHED}")]:
            half.unlink()

    def clear(self) -> None:
        """Remove an earlier sweep; other files in the folder stay."""
        for name in ("plan.json", "summary.json"):
            (self.path / name).unlink(missing_ok=True)
        for name in ("shards", "sweep", "proposals"):
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
        """Return the numbers of the finished shards."""
        return {int(path.stem) for path in (self.path / "shards").glob("[0-9]*.json")}

    def finish(self, result: ShardResult, names: Sequence[str]) -> None:
        """Store a finished shard: its rows, then its marker. ``names`` are the implementations."""
        name = f"{result.number:05d}"
        self.write_table(f"sweep/{name}.parquet", result.table(names))
        self.write_json(f"shards/{name}.json", result.to_json())

    def markers(self) -> list[dict[str, Any]]:
        """Return the counts and findings of all finished shards."""
        paths = [self.path / f"shards/{number:05d}.json" for number in sorted(self.done())]
        return [json.loads(path.read_bytes()) for path in paths]

    def tables(self) -> Iterator[pa.Table]:
        """Yield the rows of each shard."""
        for path in sorted((self.path / "sweep").glob("[0-9]*.parquet")):
            with path.open("rb") as file:  # Arrow accepts only UTF-8 names
                yield pa.parquet.read_table(file)


def run_shards(
    plan: Plan,
    folder: SweepFolder,
    todo: Sequence[int],
    seconds: float | None = None,
    progress: Callable[[int, int], None] = lambda shards, cases: None,
) -> None:
    """Run shards with one process per core, and start no shard after ``seconds``.

    ``progress`` gets the numbers of newly finished shards and cases. Raises :class:`ShardFailed`.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    # This process owns the scratch folder and removes it, however the workers end.
    scratch = Held()
    try:
        arguments = (plan, folder, scratch.folder)
        for cases in map_unordered(_run_shard, todo, _start_worker, arguments, deadline):
            progress(1, cases)
    except BrokenProcessPool:
        unfinished = len(set(todo) - folder.done())
        raise ShardFailed(
            f"a worker process died; {unfinished} shards are unfinished: run the command again"
        ) from None
    finally:
        scratch.close()
        folder.remove_unfinished()


#: In a worker process: the runner of its shards, and the folder that stores them.
_worker: tuple[ShardRunner, SweepFolder] | None = None


def _start_worker(plan: Plan, folder: SweepFolder, scratch: Path) -> None:
    global _worker
    _worker = ShardRunner(plan, Path(tempfile.mkdtemp(dir=scratch))), folder


def _run_shard(number: int) -> int:
    """Run and store a shard; return its number of cases."""
    assert _worker is not None
    runner, folder = _worker
    result = runner.run(number)
    folder.finish(result, runner.plan.columns)
    return len(result.rows)
