"""The command as a user types it, and drivers of Java systems, one of each per test worker."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.walproof.real_systems import Driver, java_driver, scratch_folder
from walproof.cli import walproof


@pytest.fixture
def run() -> Callable[..., Result]:
    """Return a function that runs ``walproof`` in a terminal of 160 columns."""

    def run(*arguments: str | Path) -> Result:
        runner = CliRunner(env={"COLUMNS": "160"})
        return runner.invoke(walproof, list(map(str, arguments)), standalone_mode=False)

    return run


@pytest.fixture
def unreadable_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make reading fail for every log in a folder."""

    def unreadable(path: Path) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("walproof.systems.contents.recognise_log", unreadable)


@pytest.fixture(scope="session")
def kahadb() -> Iterator[Driver]:
    """Yield a driver of the message store and the scheduler store of an ActiveMQ broker."""
    driver = java_driver("kahadb-store", "Store.java")
    yield driver
    driver.stop()


@pytest.fixture(scope="session")
def zeebe() -> Iterator[Driver]:
    """Yield a driver of the storage of a raft partition of a Zeebe broker."""
    access = ("--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED")
    driver = java_driver("zeebe-journal", "Partition.java", *access)
    yield driver
    driver.stop()


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """Yield a temporary folder, in memory if the machine has such a file system."""
    with scratch_folder() as folder:
        yield folder
