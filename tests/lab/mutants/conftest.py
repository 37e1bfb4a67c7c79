"""LevelDB's mutants and questions, made once: the smallest format tests the machinery."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from lab.mutants.choice import all_mutants, sources_of
from lab.mutants.hunt import Fate, Hunt
from lab.mutants.questions import Question, Reached, questions_of, reached
from lab.mutants.reviewed import Reviewed
from lab.mutants.sites import Mutant

FORMAT = "leveldb-log"


class Asked(NamedTuple):
    questions: list[Question]
    reached: Reached


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    questions = questions_of(FORMAT)
    files = frozenset(map(str, sources_of(FORMAT).values()))
    scratch = tmp_path_factory.mktemp("asked")
    return Asked(questions, reached(questions, files, scratch))


@pytest.fixture
def all_of_leveldb() -> list[Mutant]:
    return all_mutants(FORMAT, Reviewed())


@pytest.fixture
def mutant(all_of_leveldb: list[Mutant]) -> Callable[..., Mutant]:
    """The one mutant of a function that makes one text of another."""

    def find(function: str, before: str, after: str) -> Mutant:
        (result,) = [
            each
            for each in all_of_leveldb
            if (each.name.function, each.name.before, each.name.after) == (function, before, after)
        ]
        return result

    return find


@pytest.fixture
def fates(asked: Asked, tmp_path: Path) -> Iterator[Callable[..., list[Fate]]]:
    """Hunts mutants; nothing is left of them afterwards."""

    def run(*mutants: Mutant, first_kill: bool = False) -> list[Fate]:
        return Hunt(FORMAT, asked.questions, asked.reached, tmp_path, first_kill).run(mutants)

    yield run
    assert list(tmp_path.iterdir()) == []
