from __future__ import annotations

from collections.abc import Mapping

import pytest

from conformance.vectors import Vector, load_all


@pytest.fixture(scope="session")
def vectors() -> Mapping[str, Vector]:
    return load_all()
