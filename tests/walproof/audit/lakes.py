"""Small lakes of logs for the tests of the audit."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

from conformance import ROOT
from reference_impl.answer import NewRecord
from reference_impl.formats import named
from walproof.audit.unit import Options
from walproof.lake.options import parse

VECTORS = ROOT / "vectors"


def options(*paths: Path | str, payload: bool = False, **given: str) -> Options:
    """What ``walproof audit PATH…`` asks for."""
    source = parse({"lastFlushedIndex": "meta", **given})
    texts = tuple(str(path) for path in paths)
    return Options(replace(source, paths=texts, recursive=True), payload)


def vector(format_id: str, name: str, folder: Path) -> Path:
    """A copy of the log of a vector."""
    source = VECTORS / format_id / name
    to = folder / source.name
    folder.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, to)
    else:
        shutil.copyfile(source, to)
    return to


def leveldb(path: Path, count: int, size: int = 100) -> Path:
    """A LevelDB log of ``count`` records."""
    path.parent.mkdir(parents=True, exist_ok=True)
    records = [NewRecord(n.to_bytes(4, "big") * (size // 4)) for n in range(count)]
    named("leveldb-log").write(path, records, {})
    return path


MIXED = {
    "leveldb-log": [
        "large-lengths-in-every-block.log",
        "cut-in-a-payload.log",
        "rocksdb-recyclable.log",
    ],
    "zeebe-journal": ["last-segment-cut", "gap-between-segments"],
    "kahadb-journal": ["negative-size-in-the-first-file", "payload-flipped.log"],
    "systemd-journal": ["closed-file.journal", "empty-value.journal"],
    "zmq-raft": ["last-file-full", "a-thousand-entries.rlog"],
}


def mixed(folder: Path) -> Path:
    """All five formats, files and folders, damaged and not; besides, what cannot be read."""
    for format_id, names in MIXED.items():
        for name in names:
            vector(format_id, name, folder / format_id)
    (folder / "notes.txt").write_text("nothing but text\n")
    (folder / "nowhere.log").symlink_to(folder / "missing")
    os.mkfifo(folder / "pipe.log")
    return folder
