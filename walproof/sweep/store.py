"""The output folder of a sweep.

``plan.json`` says what is being swept. Each finished shard has its rows in ``sweep/NNNNN.parquet``
and, written last, its counts and findings in ``shards/NNNNN.json``: a shard is done exactly when
that marker is there. Every file is written atomically.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from conformance.saving import UNFINISHED, save
from walproof.sweep.judge import OUTCOMES
from walproof.sweep.plan import Plan
from walproof.sweep.shard import Outcome


class Store:
    """One output folder. Cheap to make: every worker makes its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    def prepare(self) -> None:
        """Make the folders, and remove what a killed run left half written."""
        for name in ("sweep", "shards"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        for path in [*self.folder.glob(f".*{UNFINISHED}"), *self.folder.glob(f"*/.*{UNFINISHED}")]:
            path.unlink()

    def clear(self) -> None:
        """Remove an earlier sweep, and nothing else that is there."""
        for name in ("plan.json", "summary.json"):
            (self.folder / name).unlink(missing_ok=True)
        for name in ("shards", "sweep", "findings", "proposals"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def read_json(self, name: str) -> dict[str, Any] | None:
        """Return a JSON file; None where there is none."""
        path = self.folder / name
        return dict(json.loads(path.read_bytes())) if path.exists() else None

    def write_json(self, name: str, body: Mapping[str, Any]) -> None:
        """Write a JSON file."""
        self.write(name, json.dumps(body, indent=1, ensure_ascii=False).encode() + b"\n")

    def write(self, name: str, data: bytes) -> None:
        """Write a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, data)

    def write_table(self, name: str, table: pa.Table) -> None:
        """Write a Parquet file."""
        out = pa.BufferOutputStream()
        pa.parquet.write_table(table, out, compression="zstd")
        self.write(name, out.getvalue().to_pybytes())

    def done(self) -> set[int]:
        """Return the numbers of the shards that are finished."""
        return {int(path.stem) for path in (self.folder / "shards").glob("[0-9]*.json")}

    def finish(self, plan: Plan, outcome: Outcome) -> None:
        """Store a finished shard: its rows, then its marker. Storing it twice changes nothing."""
        name = f"{outcome.number:05d}"
        self.write_table(f"sweep/{name}.parquet", table_of(plan, outcome))
        self.write_json(f"shards/{name}.json", outcome.to_json())

    def marker(self, number: int) -> dict[str, Any]:
        """Return what a finished shard left."""
        marker = self.read_json(f"shards/{number:05d}.json")
        assert marker is not None, f"shard {number} is not done"
        return marker

    def fingerprints(self) -> Iterator[pa.Table]:
        """Return the column ``fingerprint`` of each shard."""
        for path in sorted((self.folder / "sweep").glob("[0-9]*.parquet")):
            with path.open("rb") as file:  # Arrow takes no name that is not UTF-8
                yield pa.parquet.read_table(file, columns=["fingerprint"])


def table_of(plan: Plan, outcome: Outcome) -> pa.Table:
    """Return the rows of a shard: one a case, a column for each implementation's outcome."""
    rows = outcome.rows
    ids = [control.id for control in plan.controls]
    settings = [
        plan.controls[c].settings[n] for c, n in zip(rows.control, rows.setting, strict=True)
    ]
    contexts = [json.dumps(dict(each.context)) if each.varied else None for each in settings]
    columns = {
        "shard": pa.array([outcome.number] * len(rows.number), pa.int32()),
        "control": _coded(rows.control, ids),
        "operation": pa.array(rows.operation, pa.string()).dictionary_encode(),
        "family": pa.array(rows.family, pa.int32()),
        "number": pa.array(rows.number, pa.int64()),
        "profile": pa.array([each.profile for each in settings], pa.string()).dictionary_encode(),
        "context": pa.array(contexts, pa.string()).dictionary_encode(),
        "size": pa.array(rows.size, pa.int64()),
        "fingerprint": pa.array(rows.fingerprint, pa.uint64()).view(pa.int64()),
        "verdict": pa.array(rows.verdict, pa.string()).dictionary_encode(),
        "reason": pa.array(rows.reason, pa.string()).dictionary_encode(),
        "records": pa.array(rows.records, pa.int32()),
    }
    for name in plan.columns:
        columns[f"outcome_{name}"] = _coded(rows.outcomes[name], OUTCOMES)
    return pa.table(columns)


def _coded(codes: Any, names: Any) -> pa.Array:
    """Return a dictionary column from numbers; a name that is None stands for null."""
    named = [n for n, name in enumerate(names) if name is not None]
    new = {old: number for number, old in enumerate(named)}
    indices = pa.array([new.get(code) for code in codes], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array([names[n] for n in named]))
