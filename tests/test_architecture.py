"""Test that each package uses only the packages that docs/architecture.md allows.

``make lint`` checks the imports with ``lint-imports`` and the contract in ``pyproject.toml``. These
tests find cycles between single modules, and dependencies that are hidden in strings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest

from conformance import ROOT

LAYERS = ("reference_impl", "conformance", "walproof", "pyspark_journal", "lab")
"""Each package may use those before it, and none after it."""
PROSE = (".md", ".png", ".html")
_NAME = re.compile(rf"\b({'|'.join(LAYERS)})((?:[./][A-Za-z_]\w*)+)")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*LAYERS)


def test_no_module_uses_itself_by_a_detour(graph: grimp.ImportGraph) -> None:
    assert list(circles(graph)) == []


@pytest.mark.slow
def test_no_edge_hides_in_a_string() -> None:
    assert list(hidden_edges(ROOT)) == []


def test_a_cycle_and_a_hidden_edge_are_found(tmp_path: Path) -> None:
    toy = grimp.ImportGraph()
    for importer, imported in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")):
        toy.add_import(importer=importer, imported=imported)
    assert list(circles(toy)) == [["a", "b", "c"]]
    for path, text in (
        ("walproof/scan/log.py", '"""Used by pyspark_journal.source."""\n'),
        ("pyspark_journal/source.py", ""),
        ("conformance/run.py", 'import_module("walproof.scan.log")\n'),
        ("conformance/implementations/toy/build.sh", "python walproof/scan/log.py\n"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert {each.partition(" ")[0] for each in hidden_edges(tmp_path)} == {
        "conformance/run.py:1:", "conformance/implementations/toy/build.sh:1:",
    }  # fmt: skip


def circles(graph: grimp.ImportGraph) -> Iterator[list[str]]:
    """The groups of modules of which each reaches each other one."""
    known: set[str] = set()
    for module in sorted(graph.modules):
        if module in known:
            continue
        down = graph.find_upstream_modules(module)
        circle = sorted(
            {module} | {each for each in down if module in graph.find_upstream_modules(each)}
        )
        known.update(circle)
        if len(circle) > 1:
            yield circle


def hidden_edges(root: Path) -> Iterator[str]:
    """``FILE:LINE: NAME`` for each module of a later package that a string of a file names."""
    for number, package in enumerate(LAYERS):
        for path in sorted((root / package).rglob("*")):
            if not path.is_file() or path.suffix in PROSE or "__pycache__" in path.parts:
                continue
            for line, text in strings(path):
                for name in _NAME.finditer(text):
                    if LAYERS.index(name[1]) > number and exists(root, name[0]):
                        yield f"{path.relative_to(root).as_posix()}:{line}: {name[0]}"


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Return the strings of a Python file except docstrings, or the lines of another text file."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        return
    if path.suffix != ".py":
        yield from enumerate(text.splitlines(), 1)
        return
    tree = ast.parse(text)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value


def exists(root: Path, name: str) -> bool:
    """Return whether a path exists, or a dotted name begins with a module of a package."""
    if "/" in name:
        return any((root / name).parent.glob(f"{Path(name).name}*"))
    place = root.joinpath(*name.split(".")[:2])
    return place.is_dir() or place.with_suffix(".py").is_file()
