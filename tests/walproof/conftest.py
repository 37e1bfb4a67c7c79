"""Fixtures that run a command as a user types it, and provide a scratch folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.walproof.real_systems import scratch_folder
from walproof.cli import walproof


@pytest.fixture
def run() -> Callable[..., Result]:
    """Return a function that runs ``walproof`` in a terminal of 160 columns."""

    def run(*arguments: str | Path) -> Result:
        runner = CliRunner(env={"COLUMNS": "160"})
        return runner.invoke(walproof, list(map(str, arguments)), standalone_mode=False)

    return run


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """Yield a temporary folder, in memory if the machine has a memory file system."""
    with scratch_folder() as folder:
        yield folder
