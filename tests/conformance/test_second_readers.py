"""Second readers use no code of the readers with which they are compared."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import ROOT
from conformance.kaitai.compile import ToolMissing, compiled

SECOND = ROOT / "conformance/implementations/kaitai-python"
ABOUT = tomllib.loads((SECOND / "implementation.toml").read_text("utf-8"))
SOURCES = sorted(SECOND.rglob("*.py"))
# The package ``conformance`` finds the grammars with these modules, which belong to no reader.
PLACES = {"reference_impl", "reference_impl.paths"}


def used(source: str) -> Iterator[str]:
    """Yield the modules that a source names, in imports and in strings."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
        elif isinstance(node, ast.Constant) and str(node.value).replace(".", "").isidentifier():
            yield str(node.value)


def foreign(source: str) -> list[str]:
    """Return the modules in a source that a second reader must not name."""
    return [name for name in used(source) if name.split(".")[0] in ("reference_impl", "walproof")]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SECOND)))
def test_no_source_names_the_other_readers(path: Path) -> None:
    assert foreign(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import walproof.scan.answers as answers",
        "def late():\n    from reference_impl import formats",
    ],
)
def test_a_source_with_such_an_import_is_found(source: str) -> None:
    assert foreign(source)


@pytest.mark.parametrize("format", ABOUT["formats"])
def test_none_of_their_code_is_loaded(format: str) -> None:
    try:
        compiled("sbe")
    except ToolMissing as why:
        pytest.skip(str(why))
    code = f"import sys, {format.replace('-', '_')}; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": f"{SECOND}:{ROOT}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {
        module
        for module in done.stdout.split()
        if module.startswith(("reference_impl", "walproof."))
    }
    assert loaded <= PLACES
