"""What a user sees who asks for kernels that are not here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import VECTORS
from walproof.scan import ahead

LOG = VECTORS / "leveldb-log" / "payload-flipped-in-second-record.log"


@pytest.mark.parametrize("told", ["nubma", ahead.LIBRARY])
@pytest.mark.parametrize("words", [["read", "--fast"], ["export", "--parquet", "out.parquet"]])
def test_kernels_that_are_not_here_are_one_line(
    words: list[str], told: str, tmp_path: Path
) -> None:
    if told == ahead.LIBRARY and ahead.library() is not None:
        pytest.skip("there is a library of these sources")
    done = subprocess.run(
        [sys.executable, "-m", "walproof", *words, str(LOG)],
        env={**os.environ, ahead.VARIABLE: told},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"Error: {ahead.VARIABLE}={told}: ")
    assert not list(tmp_path.iterdir())
