"""Functions that create small folders of logs, and that read the rows of an audit or export."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import dataset

from conformance import ROOT
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.log_rows import table_schema

VECTORS = ROOT / "vectors"
PARTITIONING = dataset.partitioning(pa.schema([("kind", pa.string())]), flavor="hive")


def rows(out: Path, kind: str) -> list[dict[str, Any]]:
    """Return all rows of one kind, ordered by file and offset."""
    schema = table_schema(has_payload=True)
    table = dataset.dataset(out, schema, format="parquet", partitioning=PARTITIONING)
    found = table.to_table(filter=dataset.field("kind") == kind).to_pylist()
    return sorted(found, key=lambda row: (row["file"], row["offset"] or 0, row["length"] or 0))


def vector(format_id: str, name: str, folder: Path) -> Path:
    """Copy the log of a vector; return the path of the copy."""
    source = VECTORS / format_id / name
    target = folder / source.name
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)
    return target


def leveldb(path: Path, count: int, size: int = 100) -> Path:
    """Write a LevelDB log with ``count`` records; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [NewRecord(n.to_bytes(4, "big") * (size // 4)) for n in range(count)]
    named("leveldb-log").write(path, records, {})
    return path


MIXED = {
    "leveldb-log": [
        "large-lengths-in-every-block.log",
        "cut-in-a-payload.log",
    ],
    "rocksdb-wal": ["compressed-with-lz4.log"],
    "zeebe-journal": ["last-segment-cut", "gap-between-segments"],
    "kahadb-journal": ["negative-size-in-the-first-file", "payload-flipped.log"],
    "systemd-journal": ["closed-file.journal", "empty-value.journal"],
    "zmq-raft": ["last-file-full", "a-thousand-entries.rlog"],
}


def mixed(folder: Path) -> Path:
    """Create logs of all formats, intact and damaged, and unreadable files."""
    for format_id, names in MIXED.items():
        for name in names:
            vector(format_id, name, folder / format_id)
    (folder / "notes.txt").write_text("only text\n")
    (folder / "nowhere.log").symlink_to(folder / "missing")
    os.mkfifo(folder / "pipe.log")
    return folder
