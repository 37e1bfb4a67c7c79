"""Test that a killed command leaves no incomplete file under a final name.

Existing files are unchanged or completely replaced, and the same command continues or starts again.
The audit has its own tests (``tests/pyspark_journal/test_audit.py``), and all other commands write
with ``conformance.saving``.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import ROOT

pytestmark = pytest.mark.slow

LOG = str(ROOT / "vectors/leveldb-log/three-records.log")
FOLDER = str(ROOT / "vectors/kahadb-journal/damage-in-the-first-file")
#: Number of kills per command: at the first access, at the last, and at random ones between.
KILLS = 5
#: File with the progress of a search through an image; removed when the search is complete.
STATE = "found/carving.json"
COMMANDS = {
    "carve": ["carve", LOG, "--out", "OUT/found"],
    "recover": ["recover", FOLDER, "--out", "OUT/new"],
}


def tree(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder except those with temporary names."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not any(part.endswith(".unfinished") for part in path.parts)
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_leaves_no_partial_file(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    lot = random.Random(name)
    case = {
        "words": [word.replace("OUT", str(out)) for word in COMMANDS[name]],
        "below": str(out),
        "kept": str(tmp_path / "kept"),
        "at": [0.0, *(lot.random() for _ in range(KILLS - 2)), 1 - 1e-9],
    }
    scratch = tmp_path / "scratch"  # what is killed leaves its scratch folders
    scratch.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.walproof.cli.dying", json.dumps(case)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch)},
    )
    assert done.returncode == 0, done.stderr
    first, *killed = map(json.loads, done.stdout.splitlines())
    assert first["status"] in (0, 3) and first["touches"] >= 2
    whole = tree(tmp_path / "kept" / "whole")
    assert whole and len(killed) == KILLS
    # What is saved by the clock is saved less often where the run that counts was slow: some places
    # may then lie after the end.
    assert sum(each["status"] == -9 for each in killed) > KILLS // 2, killed
    for each in killed:
        if each["status"] != -9:
            assert each["status"] == first["status"], each
            continue
        left = tree(tmp_path / "kept" / f"{each['at']}-killed")
        if name == "recover":
            assert left in ({}, whole), each
        for path, data in left.items():
            if path != STATE:
                assert data == whole.get(path), (each, path)
        if left != whole:
            assert each["again"] == first["status"], (each, done.stderr)
            assert tree(tmp_path / "kept" / f"{each['at']}-again") == whole, each
