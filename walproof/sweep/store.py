"""The output folder: what a sweep leaves, on any file system that ``pyarrow.fs`` reaches.

``plan.json`` says what is being swept. Each finished shard has its rows in ``sweep/NNNNN.parquet``
and, written last, its counts and findings in ``shards/NNNNN.json``: a shard is done exactly when
that marker is there. Everything is written under another name and renamed.
"""

from __future__ import annotations

import errno
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet

from walproof.lake.trees import s3_patience
from walproof.sweep.judge import OUTCOMES
from walproof.sweep.plan import Plan
from walproof.sweep.shard import Outcome

TEMPORARY = ".tmp-"


class Store:
    """One output folder, by path or URI. Cheap to make: every worker makes its own.

    Raises ``OSError`` for a name that Arrow cannot be told.
    """

    def __init__(self, place: str) -> None:
        try:
            place.encode()
        except UnicodeEncodeError:
            raise OSError(errno.EILSEQ, "the name of the folder is not UTF-8", place) from None
        self.place = place
        if "://" in place:
            self.fs, self.root = pa.fs.FileSystem.from_uri(place)
            if self.fs.type_name == "s3":
                # A URI cannot say so, and nothing changes a file system that is there.
                make, (told,) = self.fs.__reduce__()
                self.fs = make({**told, "retry_strategy": s3_patience()})
        else:
            self.fs, self.root = pa.fs.LocalFileSystem(), os.path.abspath(place)  # noqa: PTH100

    def prepare(self) -> None:
        """Make the folders, and remove what a killed run left half written."""
        for folder in ("sweep", "shards"):
            self.fs.create_dir(self._path(folder), recursive=True)
        for folder in ("", "sweep", "shards"):
            for info in self._list(folder):
                if info.base_name.startswith(TEMPORARY):
                    self.fs.delete_file(info.path)

    def clear(self) -> None:
        """Remove everything that a sweep writes; the plan goes first, the rest is void then."""
        for name in ("plan.json", "summary.json"):
            if self._exists(name):
                self.fs.delete_file(self._path(name))
        for folder in ("shards", "sweep", "findings", "proposals"):
            if self._exists(folder):
                self.fs.delete_dir(self._path(folder))

    def read_json(self, name: str) -> dict[str, Any] | None:
        """A JSON file; None where there is none."""
        if not self._exists(name):
            return None
        with self.fs.open_input_file(self._path(name)) as file:
            return dict(json.loads(file.read()))

    def write_json(self, name: str, body: Mapping[str, Any]) -> None:
        """Put a JSON file in place, whole."""
        self.write_bytes(name, json.dumps(body, indent=1, ensure_ascii=False).encode() + b"\n")

    def write_bytes(self, name: str, data: bytes) -> None:
        """Put a file in place, whole."""
        folder, _, base = name.rpartition("/")
        if folder:
            self.fs.create_dir(self._path(folder), recursive=True)
        temporary = self._path(f"{folder}/{TEMPORARY}{uuid.uuid4().hex}-{base}".lstrip("/"))
        with self.fs.open_output_stream(temporary) as file:
            file.write(data)
        self.fs.move(temporary, self._path(name))

    def write_table(self, name: str, table: pa.Table) -> None:
        """Put a Parquet file in place, whole."""
        out = pa.BufferOutputStream()
        pa.parquet.write_table(table, out, compression="zstd")
        self.write_bytes(name, out.getvalue().to_pybytes())

    def done(self) -> set[int]:
        """Numbers of the shards that are finished."""
        return {
            int(info.base_name.removesuffix(".json"))
            for info in self._list("shards")
            if info.base_name[:1].isdigit()
        }

    def finish(self, plan: Plan, outcome: Outcome) -> None:
        """Store a finished shard: its rows, then its marker. Storing it twice changes nothing."""
        name = f"{outcome.number:05d}"
        self.write_table(f"sweep/{name}.parquet", table_of(plan, outcome))
        self.write_json(f"shards/{name}.json", outcome.to_json())

    def marker(self, number: int) -> dict[str, Any]:
        """What a finished shard left."""
        found = self.read_json(f"shards/{number:05d}.json")
        assert found is not None, f"shard {number} is not done"
        return found

    def fingerprints(self) -> Iterator[pa.Table]:
        """The column ``fingerprint`` of each shard."""
        for info in self._list("sweep"):
            if info.base_name.endswith(".parquet") and info.base_name[:1].isdigit():
                with self.fs.open_input_file(info.path) as file:
                    table = pa.parquet.read_table(file, columns=["fingerprint"])
                yield table

    def local(self, name: str) -> Path | None:
        """Where a file of this folder is on this machine, if it is."""
        return None if "://" in self.place else Path(self._path(name))

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}".rstrip("/")

    def _exists(self, name: str) -> bool:
        (info,) = self.fs.get_file_info([self._path(name)])
        return bool(info.type != pa.fs.FileType.NotFound)

    def _list(self, folder: str) -> list[Any]:
        selector = pa.fs.FileSelector(self._path(folder), allow_not_found=True)
        return sorted(self.fs.get_file_info(selector), key=lambda info: info.path)


def table_of(plan: Plan, outcome: Outcome) -> pa.Table:
    """The rows of a shard: one a case, a column for each implementation with its outcome."""
    rows = outcome.rows
    ids = [control.id for control in plan.controls]
    asked = [plan.controls[c].settings[n] for c, n in zip(rows.control, rows.setting, strict=True)]
    contexts = [json.dumps(dict(one.context)) if one.varied else None for one in asked]
    columns = {
        "shard": pa.array([outcome.number] * len(rows.number), pa.int32()),
        "control": _coded(rows.control, ids),
        "operation": pa.array(rows.operation, pa.string()).dictionary_encode(),
        "family": pa.array(rows.family, pa.int32()),
        "number": pa.array(rows.number, pa.int64()),
        "profile": pa.array([one.profile for one in asked], pa.string()).dictionary_encode(),
        "context": pa.array(contexts, pa.string()).dictionary_encode(),
        "size": pa.array(rows.size, pa.int64()),
        "fingerprint": pa.array(rows.fingerprint, pa.uint64()).view(pa.int64()),
        "verdict": pa.array(rows.verdict, pa.string()).dictionary_encode(),
        "reason": pa.array(rows.reason, pa.string()).dictionary_encode(),
        "records": pa.array(rows.records, pa.int32()),
    }
    for name, codes in zip(plan.columns, rows.outcomes, strict=True):
        columns[f"outcome_{name}"] = _coded(codes, OUTCOMES)
    return pa.table(columns)


def _coded(codes: Any, names: Any) -> pa.Array:
    """A dictionary column from numbers; a name that is None stands for null."""
    kept = [n for n, name in enumerate(names) if name is not None]
    new = {old: number for number, old in enumerate(kept)}
    indices = pa.array([new.get(code) for code in codes], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array([names[n] for n in kept]))
