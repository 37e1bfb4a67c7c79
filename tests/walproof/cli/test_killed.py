"""Killed outright at any moment, a command leaves nothing half under a final name.

What was there before is untouched or whole and new, and the same command goes on or starts again.
The audit has tests of its own (``tests/pyspark_journal/test_audit.py``).
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance import ROOT

LOG = str(ROOT / "vectors/leveldb-log/three-records.log")
FOLDER = str(ROOT / "vectors/kahadb-journal/damage-in-the-first-file")
JOURNAL = str(ROOT / "vectors/systemd-journal/append-a-long-field-to-an-xz-file.journal")
KILLS = 5
"""How often each is killed: at the first touch of what it writes, the last, and others by lot."""


@dataclass(frozen=True)
class Case:
    """A command, with ``OUT`` for the folder in which it writes, and what was there before."""

    words: tuple[str, ...]
    before: Mapping[str, str]
    also: str = ""
    folder: str = ""
    """A folder in OUT that appears and is replaced as a whole, if there is one."""


STATE = "found/carving.json"
"""Where a search through an image goes on; it is gone when that is through."""
OLD = "of another day"
CASES = {
    "export": Case(("export", LOG, "--parquet", "OUT/rows"), {"rows": OLD}),
    "export-decode": Case(("export", LOG, "--decode", "--parquet", "OUT/rows"), {"rows": OLD}),
    "inspect": Case(("inspect", LOG, "--html", "OUT/map.html"), {"map.html": OLD}),
    "damage": Case(("damage", LOG, "flip bit 0 of byte 9", "--out", "OUT/a.log"), {}),
    "damage-random": Case(
        ("damage", LOG, "--random", "4", "--out", "OUT/many"), {}, folder="many"
    ),
    "recover": Case(("recover", LOG, "--out", "OUT/new.log"), {}),
    "recover-folder": Case(("recover", FOLDER, "--out", "OUT/new"), {}, folder="new"),
    "carve": Case(("carve", LOG, "--out", "OUT/found"), {}),
    "read-each": Case(
        ("read", LOG, "--force", "--each", "OUT/records"), {"records/000000": OLD}
    ),
    "import": Case(("systemd", "import", "EXPORT", "--out", "OUT/new.journal"), {}),
    "vectors": Case(("vectors",), {"toy-log/1.json": OLD, "index.json": OLD}, "a_few_vectors"),
    "parsers": Case(
        ("parsers", "--lang", "python", "--grammar", "leveldb_log", "--out", "OUT/parsers"),
        {},
        "compiled_once",
    ),
}  # fmt: skip


def tree(folder: Path, command: str) -> dict[str, bytes]:
    """The files in a folder, without those whose names say that they are not finished."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {
        name: _without_ids(path.read_bytes()) if command == "import" else path.read_bytes()
        for path in found
        if not any(part.endswith(".unfinished") for part in path.parts)
        for name in [path.relative_to(folder).as_posix()]
    }


def _without_ids(journal: bytes) -> bytes:
    """A journal without what depends on its id, which is another in each: its head and its size."""
    return journal[:24] + b"%d" % len(journal)


@pytest.mark.parametrize("name", CASES)
def test_killed_at_any_moment_nothing_is_half(name: str, tmp_path: Path) -> None:
    case, out = CASES[name], tmp_path / "out"
    for path, text in case.before.items():
        (tmp_path / "before" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "before" / path).write_text(text)
    export = tmp_path / "export"
    if "EXPORT" in case.words:
        said = subprocess.run(
            [sys.executable, "-m", "walproof", "export", JOURNAL], capture_output=True, cwd=ROOT
        )
        export.write_bytes(said.stdout)
    words = [
        word.replace("OUT", str(out)) if word.startswith("OUT/") else word for word in case.words
    ]
    words = [str(export) if word == "EXPORT" else word for word in words]
    lot = random.Random(name)
    told = {
        "words": words,
        "below": str(out),
        "before": str(tmp_path / "before") if case.before else None,
        "kept": str(tmp_path / "kept"),
        "at": [0.0, *(lot.random() for _ in range(KILLS - 2)), 1 - 1e-9],
        "also": case.also,
    }
    scratch = tmp_path / "scratch"  # what is killed leaves its scratch folders
    scratch.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.walproof.cli.dying", json.dumps(told)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch)},
    )
    assert done.returncode == 0, done.stderr
    first, *killed = map(json.loads, done.stdout.splitlines())
    assert first["status"] in (0, 3) and first["touches"] >= 2
    whole = tree(tmp_path / "kept" / "whole", name)
    before = {path: text.encode() for path, text in case.before.items()}
    assert whole and len(killed) == KILLS
    # What is saved by the clock is saved less often where the run that counts was slow: some places
    # may then lie after the end.
    assert sum(one["status"] == -9 for one in killed) > KILLS // 2, killed
    for one in killed:
        if one["status"] != -9:
            assert one["status"] == first["status"], one
            continue
        left = tree(tmp_path / "kept" / f"{one['at']}-killed", name)
        if case.folder:
            assert left in (before, whole), one
        for path, data in left.items():
            if path != STATE:
                assert data in (before.get(path), whole.get(path)), (one, path)
        assert {path for path in before if path in whole} <= left.keys(), one
        if left != whole:
            assert one["again"] == first["status"], (one, done.stderr)
            assert tree(tmp_path / "kept" / f"{one['at']}-again", name) == whole, one
