"""What the tests of systems share: the command as somebody types it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from walproof.cli import walproof


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs the command in a terminal of 160 columns."""

    def run(*arguments: str | Path) -> Result:
        runner = CliRunner(env={"COLUMNS": "160"})
        return runner.invoke(walproof, list(map(str, arguments)), standalone_mode=False)

    return run
