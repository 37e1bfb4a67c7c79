"""Second readers share no code with the readers with which they are compared."""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import ROOT
from conformance.case_runner import run_programs
from conformance.checked_program import checked_implementation
from conformance.contents import Contents, read_contents, write_contents
from conformance.kaitai.compile import ToolMissing, compiled
from conformance.registry import load
from conformance.score import WRITING
from conformance.vector_cases import VectorCase
from conformance.vectors import Vector, load_all
from reference_impl import formats
from reference_impl.answer import NewRecord
from reference_impl.formats import FORMATS
from tests.conftest import unavailable

SECOND = ROOT / "conformance/implementations/kaitai-python"
ABOUT = tomllib.loads((SECOND / "implementation.toml").read_text("utf-8"))
SOURCES = sorted(SECOND.rglob("*.py"))
# The package ``conformance`` needs these modules to find the grammars. They contain no reader.
PLACES = {"reference_impl", "reference_impl.paths"}


def used(source: str) -> Iterator[str]:
    """Yield the module names in a source file, from its imports and string constants."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""
        elif isinstance(node, ast.Constant) and str(node.value).replace(".", "").isidentifier():
            yield str(node.value)


def foreign(source: str) -> list[str]:
    """Return the modules that a source file names although a second reader must not."""
    return [name for name in used(source) if name.split(".")[0] in ("reference_impl", "walproof")]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(SECOND)))
def test_no_source_names_the_other_readers(path: Path) -> None:
    assert foreign(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import walproof.scanners.answers as answers",
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
        unavailable(str(why))
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


def log_after(vector: Vector) -> Contents:
    """Return the log that the executable specification leaves after a write or an append."""
    if vector.operation == "write":
        return vector.contents
    records = [
        NewRecord(bytes.fromhex(each["payload"]), each) for each in vector.records_to_write()
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / vector.input.name
        write_contents(vector.contents, path)
        format = formats.named(vector.body["format"])
        format.append(path, records, vector.body.get("context", {}))
        return read_contents(path)


@pytest.mark.slow
def test_a_second_reader_confirms_every_written_log() -> None:
    reader = checked_implementation(load(SECOND), "walproof")
    if reader.unavailable is not None:
        unavailable(reader.unavailable)
    # etcd-wal and prometheus-wal have no second reader.
    assert {*reader.formats, "etcd-wal", "prometheus-wal"} == set(FORMATS)
    cases = []
    for vector in load_all().values():
        is_read = vector.body["format"] in reader.formats
        if is_read and vector.operation in WRITING and not vector.body.get("must_refuse"):
            limits = {**vector.body.get("limits", {}), "wall_ms": 20_000}
            body = {**vector.body, "operation": "read", "limits": limits}
            cases.append(VectorCase(Vector(vector.path, body, log_after(vector)), "recover"))
    assert len(cases) > 15 * len(reader.formats)
    (run,) = run_programs([reader], lambda _: cases, 2)
    assert len(run.results) == len(cases)
    wrong = [each for each in run.results if each["class"] != "pass"]
    assert not wrong, [(each["vector"], each["difference"]) for each in wrong]
