"""Small folders of logs, and functions to write and read their tables."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from conformance import ROOT
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.inventory.logs import find_logs
from walproof.inventory.result import MAX_TASK_BYTES, make_plan, write_result
from walproof.inventory.schemas import TableOptions
from walproof.inventory.summary import summarise
from walproof.inventory.task import write_rows
from walproof.lake.options import Options

VECTORS = ROOT / "vectors"


def options(
    *paths: Path | str, payload: bool = False, decode: bool = False, **source_options: str
) -> TableOptions:
    """Return the options that ``walproof audit PATH…`` would have."""
    source = Options.parse({"lastFlushedIndex": "meta", **source_options})
    texts = tuple(str(path) for path in paths)
    return TableOptions(replace(source, paths=texts, recursive=True), payload, decode)


def write_tables(
    options: TableOptions, out: Path, max_task_bytes: int = MAX_TASK_BYTES
) -> dict[str, Any]:
    """Write the tables in this process; return their summary."""
    logs = find_logs(options.source)
    plan = make_plan(logs, options, out.with_name(f"{out.name}.tasks"), 2, None, max_task_bytes)
    write_result(logs, plan, lambda tasks: map(write_rows, tasks), out)
    return summarise(out)


def rows(out: Path, table: str) -> list[dict[str, Any]]:
    """Return all rows of a table, ordered by file and offset."""
    unordered = pq.read_table(out / table).to_pylist()
    return sorted(
        unordered, key=lambda row: (row["file"], row.get("offset", 0), row.get("length", 0))
    )


def vector(format_id: str, name: str, folder: Path) -> Path:
    """Copy the log of a vector; return its path."""
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


#: A ``sitecustomize.py`` that kills any reader of crash.log, as a defect of a kernel would.
CRASHES = """
import os, signal
import walproof.formats
from walproof.scan import reference
original = reference.ReferenceScanner.scan

def scan(self, log, wanted, part=reference.WHOLE):
    if log.path.name == "crash.log":
        os.kill(os.getpid(), signal.SIGSEGV)
    return original(self, log, wanted, part)

reference.ReferenceScanner.scan = scan
walproof.formats.FormatPlugin.has_scanner = False
"""
