"""On a full disk a command says which file could not be written, in one line, and leaves none."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import ROOT

from .test_killed import CASES, JOURNAL

MOUNTED = """
mount -t tmpfs -o size=64k none "$1" || exit 99
head -c 64k /dev/zero > "$1/filler"
"$2" -c "$3" "$4"
status=$?
find "$1" -type f ! -name filler 1>&2
exit $status
"""
PROGRAM = """
import json, sys
from tests.walproof.cli import dying
case = json.loads(sys.argv[1])
if case["also"]:
    vars(dying)[case["also"]]()
sys.exit(dying.command(case["words"]))
"""


@pytest.mark.parametrize("name", CASES)
def test_a_full_disk_is_one_line_that_names_the_file(name: str, tmp_path: Path) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("unavailable, because unshare was not found")
    case, full, export = CASES[name], tmp_path / "full", tmp_path / "export"
    full.mkdir()
    if "EXPORT" in case.words:
        with export.open("wb") as file:
            words = [sys.executable, "-m", "walproof", "export", JOURNAL]
            subprocess.run(words, stdout=file, cwd=ROOT, check=False)
    given = {"OUT": str(full), "EXPORT": str(export)}
    words = [given.get(word, word).replace("OUT/", f"{full}/") for word in case.words]
    also = case.also if name != "parsers" else ""
    told = json.dumps({"words": words, "also": also, "below": str(full)})
    ended = subprocess.run(
        ["unshare", "-rm", "sh", "-c", MOUNTED, "sh", full, sys.executable, PROGRAM, told],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    if ended.returncode == 99 or "unshare failed" in ended.stderr:
        pytest.skip("unavailable, because this system lets nobody mount a tmpfs")
    lines = [line for line in ended.stderr.splitlines() if line.strip()]
    assert ended.returncode == 1, ended.stderr
    assert len(lines) == 1 and lines[0].startswith(f"Error: {full}/"), ended.stderr
    assert os.strerror(errno.ENOSPC) in lines[0] and ".unfinished" not in lines[0]
