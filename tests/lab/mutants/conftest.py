"""The mutants of LevelDB, the smallest format."""

from __future__ import annotations

import pytest

from lab.mutants.choice import all_mutants
from lab.mutants.reviewed import Reviewed
from lab.mutants.sites import Mutant


@pytest.fixture(scope="session")
def all_of_leveldb() -> list[Mutant]:
    return all_mutants("leveldb-log", Reviewed())
