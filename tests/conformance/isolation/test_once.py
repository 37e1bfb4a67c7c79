"""A program that is run once, here without a box: what it prints, and that nothing is left."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import pytest

from conformance.isolation.boxed import TookTooLong, once


def test_what_it_prints_and_its_status() -> None:
    words = ["sh", "-c", "echo told; echo said >&2; exit 3"]
    done = once(words, None, os.environ, 30)
    assert (done.stdout, done.stderr, done.returncode) == ("told\n", "said\n", 3)


@pytest.mark.parametrize("last", ["wait", "exit 0"])
def test_what_it_started_ends_with_it(tmp_path: Path, last: str) -> None:
    child = tmp_path / "child"
    words = ["sh", "-c", f"sleep 600 >{tmp_path}/out 2>&1 & echo $! > {child}; {last}"]
    if last == "wait":
        with pytest.raises(TookTooLong):
            once(words, None, os.environ, 3)
    else:
        once(words, None, os.environ, 30)
    process = Path("/proc", child.read_text().strip())
    assert _ended(process)


def _ended(process: Path) -> bool:
    """A zombie has no words, and somebody who was killed takes a moment to be one."""
    for _ in range(100):
        with contextlib.suppress(FileNotFoundError):
            if (process / "cmdline").read_bytes():
                time.sleep(0.05)
                continue
        return True
    return False
