"""The bench measures programs as they start where they are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from walproof.bench import bytecode


def test_a_module_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bytecode, "BUILD", tmp_path / "build")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "before")
    (tmp_path / "mine.py").write_text("")
    before = dict(os.environ)
    with bytecode.kept():
        words = [sys.executable, "-c", "import mine; print(mine.__cached__)"]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    compiled = Path(done.stdout.strip())
    assert compiled.is_relative_to(tmp_path / "build")
    assert compiled.is_file()
    assert not (tmp_path / "__pycache__").exists()
    assert dict(os.environ) == before


@pytest.mark.parametrize("told", [None, ""])
def test_nothing_changes_where_bytecode_is_written(
    told: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    if told is not None:
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", told)
    before = dict(os.environ)
    with bytecode.kept():
        assert dict(os.environ) == before


def test_the_environment_is_as_before_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    before = dict(os.environ)
    with pytest.raises(ValueError), bytecode.kept():
        raise ValueError
    assert dict(os.environ) == before
