"""Directories written by real databases."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.walproof.decode.real_programs import run_python


@pytest.fixture(scope="session")
def written_by() -> Iterator[Callable[[str, str, str], tuple[Path, Any]]]:
    """Run a program once in a session; return the directory and the printed JSON."""
    with tempfile.TemporaryDirectory(prefix="walproof-decode-") as scratch:

        @cache
        def run(name: str, package: str, version: str) -> tuple[Path, Any]:
            folder = Path(scratch, name)
            return folder, run_python(name, package, version, folder)

        yield run
