"""What looks like a test is run: pytest collects no function that stands within another one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import ROOT

FILES = sorted((ROOT / "tests").rglob("*.py"))


def never_run(path: Path) -> Iterator[str]:
    """The names of functions that are called as tests are, and stand where pytest finds none."""
    module = ast.parse(path.read_text("utf-8"))
    classes = [one for one in module.body if isinstance(one, ast.ClassDef)]
    places: list[ast.Module | ast.ClassDef] = []
    if path.name.startswith("test_"):
        places = [module, *(one for one in classes if is_collected(one))]
    found = {id(one) for place in places for one in place.body}
    for one in ast.walk(module):
        is_function = isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and one.name.startswith("test_") and id(one) not in found:
            yield f"line {one.lineno}: {one.name}"


def is_collected(one: ast.ClassDef) -> bool:
    has_init = any(
        isinstance(part, ast.FunctionDef) and part.name == "__init__" for part in one.body
    )
    return one.name.startswith("Test") and not has_init


def test_every_test_is_run() -> None:
    assert len(FILES) > 300
    missed = {path.relative_to(ROOT).as_posix(): list(never_run(path)) for path in FILES}
    assert {path: names for path, names in missed.items() if names} == {}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("test_a.py", "def test_one(): pass\n", []),
        ("test_a.py", "class TestA:\n def test_one(self): pass\n", []),
        ("test_a.py", "def one():\n def test_two(): pass\n", ["line 2: test_two"]),
        ("test_a.py", "class A:\n def test_one(self): pass\n", ["line 2: test_one"]),
        (
            "test_a.py",
            "class TestA:\n def __init__(self): pass\n def test_one(self): pass\n",
            ["line 3: test_one"],
        ),
        ("test_a.py", "async def test_one():\n def test_two(): pass\n", ["line 2: test_two"]),
        ("family.py", "def test_one(): pass\n", ["line 1: test_one"]),
    ],
)
def test_who_is_never_run(tmp_path: Path, name: str, text: str, found: list[str]) -> None:
    (tmp_path / name).write_text(text)
    assert list(never_run(tmp_path / name)) == found
