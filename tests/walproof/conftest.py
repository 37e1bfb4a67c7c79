"""Drivers of real systems in Java: one process for all tests of a worker."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.walproof.real_systems import Driver, java_driver, scratch_folder


@pytest.fixture(scope="session")
def kahadb() -> Iterator[Driver]:
    """The message store and the scheduler store of an ActiveMQ broker."""
    driver = java_driver("kahadb-store", "Store.java")
    yield driver
    driver.stop()


@pytest.fixture(scope="session")
def zeebe() -> Iterator[Driver]:
    """The storage of a raft partition of a Zeebe broker."""
    access = ("--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED")
    driver = java_driver("zeebe-journal", "Partition.java", *access)
    yield driver
    driver.stop()


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """A folder in memory, if the machine allows it."""
    with scratch_folder() as folder:
        yield folder
