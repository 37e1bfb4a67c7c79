"""Readers and writers of Zeebe journals that are nearly right, each killed by the vectors named.

A row of near_right_zeebe_journal.toml is the executable specification with one piece of its source
exchanged. Each is a way in which somebody who read the chapter once may go wrong.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.mutants.asking import Question, ask, questions_of
from conformance.mutants.loading import load_format, sources_of
from reference_impl.formats import Format

FORMAT = "zeebe-journal"


@dataclass(frozen=True)
class NearRight:
    """What it gets wrong, where, and the vectors that must notice."""

    wrong: str
    module: str
    before: str
    after: str
    killed_by: list[str]


TABLE = Path(__file__).with_name("near_right_zeebe_journal.toml")
ROWS = [NearRight(**row) for row in tomllib.loads(TABLE.read_text("utf-8"))["rows"]]


@pytest.fixture(scope="module")
def questions() -> dict[str, list[Question]]:
    """The questions of each vector, by slug."""
    by_slug: dict[str, list[Question]] = {}
    for question in questions_of(FORMAT):
        slug = question.id.removeprefix(f"{FORMAT}/").split(",")[0]
        by_slug.setdefault(slug, []).append(question)
    return by_slug


@pytest.fixture
def modules() -> Iterator[None]:
    """The imported modules as they were, when it is over."""
    before = dict(sys.modules)
    yield
    for name in sources_of(FORMAT):
        sys.modules.pop(name, None)
        if name in before:
            sys.modules[name] = before[name]


def changed(row: NearRight) -> Format:
    """The format with the row's change."""
    codes, found = {}, 0
    for name, path in sources_of(FORMAT).items():
        source = path.read_text("utf-8")
        if name.endswith(f".{row.module}"):
            found = source.count(row.before)
            source = source.replace(row.before, row.after)
        codes[name] = compile(source, str(path), "exec")
    assert found == 1, f"{row.before!r} is {found} times in {row.module}.py"
    return load_format(FORMAT, codes)


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.wrong)
def test_each_named_vector_notices(
    row: NearRight, questions: dict[str, list[Question]], tmp_path: Path
) -> None:
    format = changed(row)
    for slug in row.killed_by:
        assert any(ask(question, format, tmp_path) for question in questions[slug]), slug


@pytest.mark.usefixtures("modules")
def test_unchanged_it_is_right(questions: dict[str, list[Question]], tmp_path: Path) -> None:
    format = changed(NearRight("nothing", "layout", "NO_ASQN = ", "NO_ASQN = ", []))
    slugs = {slug for row in ROWS for slug in row.killed_by}
    wrong = {s: [ask(one, format, tmp_path) for one in questions[s]] for s in sorted(slugs)}
    assert not {slug: found for slug, found in wrong.items() if any(found)}
