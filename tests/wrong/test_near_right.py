"""The vectors detect each of many almost correct readers and writers.

Each row of ``near_right_<format>.toml`` changes one piece of the executable specification's source
code, and lists the vectors that must detect the change. The rows in ``faulty`` make a reader report
a fault incorrectly.
"""

from __future__ import annotations

import ast
import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.scratch import Scratch
from lab.mutants.choice import sources_of
from lab.mutants.loading import codes_of, formats_in, load_modules
from lab.mutants.questions import Question, ask, questions_of
from reference_impl.formats import FORMATS, Format


@dataclass(frozen=True)
class NearRight:
    """A faulty change, its location, and the vectors that must detect it."""

    format: str
    wrong: str
    module: str
    #: Source code that occurs exactly once in the module or, if given, in ``within``.
    before: str
    after: str
    killed_by: Sequence[str]
    #: The class or function that contains ``before``.
    within: str | None = None


def _rows() -> Iterator[NearRight]:
    for id, format in FORMATS.items():
        table = Path(__file__).with_name(f"near_right_{id.replace('-', '_')}.toml")
        if table.exists():
            body = tomllib.loads(table.read_text("utf-8"))
            yield from (NearRight(format=format.id, **row) for row in body.get("rows", ()))
            yield from (_faulty(format.id, **row) for row in body.get("faulty", ()))


def _faulty(
    format: str, name: str, rule: str, text: str, killers: Sequence[str], bytes: Sequence[int] = ()
) -> NearRight:
    """Return a systemd reader that omits some faults, or reports them at different bytes."""
    before = "    torn_from = tail_of_crash(inspection)\n"
    start, size = bytes or (0, 0)
    others = f"replace(f, start=f.start + {start}, end=f.start + {start + size})"
    selected = f"f.rule == {rule!r} and {text!r} in f.text"
    after = f"""
    from dataclasses import replace
    faults = inspection.faults
    faults[:] = [{others} if {selected} else f for f in faults if {bool(bytes)} or not ({selected})]
"""
    return NearRight(format, name, "reader", before, after + before, killers)


ROWS = list(_rows())


@functools.cache
def questions(format: str) -> Mapping[str, list[Question]]:
    """Return the questions of a format by vector slug."""
    by_slug: dict[str, list[Question]] = {}
    for question in questions_of(format):
        slug = question.id.removeprefix(f"{format}/").split(",")[0]
        by_slug.setdefault(slug, []).append(question)
    return by_slug


compiled = functools.cache(codes_of)


def changed(row: NearRight) -> Format:
    """Return the format after the change that a row of the table describes."""
    (name,) = (name for name in sources_of(row.format) if name.endswith(f".{row.module}"))
    path = sources_of(row.format)[name]
    source = path.read_text("utf-8")
    place = _within(source, row.within)
    result = place.count(row.before)
    assert result == 1, f"{row.before!r} is {result} times in {row.module}.py"
    source = source.replace(place, place.replace(row.before, row.after))
    codes = {**compiled(row.format), name: compile(source, str(path), "exec")}
    return formats_in(load_modules(codes), [row.format])[row.format]


def _within(source: str, name: str | None) -> str:
    """Return the source of a class or function in a module, or of the whole module."""
    if name is None:
        return source
    (node,) = (each for each in ast.parse(source).body if getattr(each, "name", None) == name)
    return ast.get_source_segment(source, node) or ""


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """Yield a directory in memory, and remove it afterwards."""
    held = Scratch()
    yield held.folder
    held.close()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.format}: {row.wrong}")
def test_each_named_vector_detects_the_change(row: NearRight, scratch: Path) -> None:
    format = changed(row)
    for slug in row.killed_by:
        requested = questions(row.format)[slug]
        assert any(ask(question, format, scratch) for question in requested), slug


@pytest.mark.parametrize("id", sorted({row.format for row in ROWS}))
def test_the_unchanged_specification_is_right(id: str, scratch: Path) -> None:
    format = formats_in(load_modules(codes_of(id)), [id])[id]
    slugs = sorted({slug for row in ROWS if row.format == id for slug in row.killed_by})
    wrong = {slug: [ask(each, format, scratch) for each in questions(id)[slug]] for slug in slugs}
    assert not {slug: result for slug, result in wrong.items() if any(result)}
