"""No child of a sweep stays after a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from walproof.sweep import worker


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    yield
    worker.close_all()
