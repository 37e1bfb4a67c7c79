"""What the tests of the LevelDB log share: folders that real databases wrote."""

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
    """Runs a program once in a session; gives the folder and the JSON that it printed."""
    with tempfile.TemporaryDirectory(prefix="walproof-decode-") as scratch:

        @cache
        def run(name: str, package: str, version: str) -> tuple[Path, Any]:
            folder = Path(scratch, name)
            return folder, run_python(name, package, version, folder)

        yield run


def run_database(packages: tuple[str, ...], program: Path, action: str, folder: Path) -> Any:
    """Run a program that opens a database; return the keys and values that it gives."""
    python = _python_with(*packages[1:])
    done = subprocess.run(
        [str(python), str(program), action, str(folder)],
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return dict(json.loads(done.stdout))


@pytest.fixture
def database(written: tuple[Path, dict[str, str]], tmp_path: Path) -> Path:
    """A copy of what the fixture ``written`` of a module has."""
    shutil.copytree(written[0], tmp_path / "db")
    return tmp_path / "db"
