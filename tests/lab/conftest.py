from __future__ import annotations

from collections.abc import Mapping

import pytest

from conformance.vectors import Vector
from tests.golden import golden_vectors


@pytest.fixture(scope="session")
def vectors() -> Mapping[str, Vector]:
    return golden_vectors()
