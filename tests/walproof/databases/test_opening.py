"""A system that cannot run in a box: what it prints, and that nothing of it is left."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conformance.isolation.boxed import TookTooLong
from walproof.databases.opening import _without_a_box


def test_what_it_prints_and_its_status() -> None:
    words = ["sh", "-c", "echo told; echo said >&2; exit 3"]
    assert _without_a_box(words, 30) == ("told\n", "said\n", 3)


def test_what_it_started_ends_with_it(tmp_path: Path) -> None:
    child = tmp_path / "child"
    with pytest.raises(TookTooLong):
        _without_a_box(["sh", "-c", f"sleep 600 & echo $! > {child}; wait"], 0.5)
    number = int(child.read_text())
    assert (
        not Path(f"/proc/{number}/cmdline").exists()
        or not Path(f"/proc/{number}/cmdline").read_bytes()
    )  # a zombie has no words
    with pytest.raises(OSError, match="No such process"):
        os.killpg(number, 0)
