"""A command that is killed and goes on where it was leaves nothing half under a final name.

What was there before is untouched or whole and new, and the same command goes on or starts again.
Files of other commands go through ``conformance.saving``, which has tests of its own, as the audit
has (``tests/pyspark_journal/test_audit.py``).
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
KILLS = 5
"""How often each is killed: at the first touch of what it writes, the last, and others by lot."""
STATE = "found/carving.json"
"""Where a search through an image goes on; it is gone when that is through."""
COMMANDS = {
    "carve": ["carve", LOG, "--out", "OUT/found"],
    "recover": ["recover", FOLDER, "--out", "OUT/new"],
}


def tree(folder: Path) -> dict[str, bytes]:
    """The files in a folder, without those whose names say that they are not finished."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not any(part.endswith(".unfinished") for part in path.parts)
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_at_any_moment_nothing_is_half(name: str, tmp_path: Path) -> None:
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
