"""Fixtures of the LevelDB log tests: directories written by real databases."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.walproof.decode.real_programs import _python_with, run_python


@pytest.fixture(scope="session")
def written_by() -> Iterator[Callable[[str, str, str], tuple[Path, Any]]]:
    """Run a program once in a session; return the directory and the printed JSON."""
    with tempfile.TemporaryDirectory(prefix="walproof-decode-") as scratch:

        @cache
        def run(name: str, package: str, version: str) -> tuple[Path, Any]:
            folder = Path(scratch, name)
            return folder, run_python(name, package, version, folder)

        yield run


def run_database(packages: tuple[str, ...], program: Path, action: str, folder: Path) -> Any:
    """Run a program that opens a database; return its keys and values."""
    python = _python_with(*packages[1:])
    done = subprocess.run(
        [str(python), str(program), action, str(folder)],
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return dict(json.loads(done.stdout))


@pytest.fixture
def database(written: tuple[Path, dict[str, str]], tmp_path: Path) -> Path:
    """Return a copy of the output of a module's fixture ``written``."""
    shutil.copytree(written[0], tmp_path / "db")
    return tmp_path / "db"
