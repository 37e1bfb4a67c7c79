"""A new format needs only five directories: a made-up format works in a copy of the tree.

See CONTRIBUTING.md.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conformance import ROOT

pytestmark = pytest.mark.slow

DIRECTORIES = ("spec", "ksy", "reference_impl", "conformance", "walproof")
FORMAT = "tally-log"
MADE_UP = Path(__file__).with_name("made_up_format")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree with the made-up format and no vectors of other formats."""
    tree = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in DIRECTORIES:
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
        shutil.copytree(MADE_UP / name, tree / name, dirs_exist_ok=True)
    (tree / "vectors").mkdir()
    for path in (ROOT / "vectors").glob("*.*"):
        shutil.copy(path, tree / "vectors")
    # The copy uses the installed grammar compiler, and builds everything else itself.
    (tree / ".build").mkdir()
    (tree / ".build" / "kaitai").symlink_to(ROOT / ".build" / "kaitai")
    run(tree, "conformance.traceability.write_tables")
    registers = [path for path in (tree / "spec").glob("*.toml") if path.stem != FORMAT]
    for register in registers:
        register.rename(register.with_suffix(".aside"))
    run(tree, "conformance.recipes")
    for register in registers:
        register.with_suffix(".aside").rename(register)
    return tree


def run(tree: Path, module: str, *arguments: str, status: int = 0) -> str:
    """Run a module of the copy; return its output."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_vectors_are_written(tree: Path) -> None:
    vector = json.loads((tree / "vectors/tally-log/flipped-payload.json").read_text("utf-8"))
    assert vector["expect"]["verdict"] == "damaged"
    assert [record["count"] for record in vector["expect"]["records"]] == [2]


def test_check_runs_the_executable_specification(tree: Path) -> None:
    arguments = ["--impl", "executable-spec", "--format", "tally-log"]
    assert "All is as expected." in run(tree, "walproof", "check", *arguments)


def test_a_log_is_recognised_and_summarised(tree: Path) -> None:
    shown = run(tree, "walproof", "vectors/tally-log/flipped-payload.tally", status=3)
    assert "Tally log, made up for a test" in shown
    assert "a checksum that does not match" in shown


def test_a_log_is_read(tree: Path) -> None:
    shown = run(tree, "walproof", "read", "vectors/tally-log/two-records.tally", "--json")
    assert '"count": 2' in shown


def test_a_table_is_written_without_a_scanner_and_a_decoder(tree: Path) -> None:
    out = tree / "tables"
    log = "vectors/tally-log/two-records.tally"
    run(tree, "walproof", "export", log, "--parquet", str(out), "--decode")
    rows = pq.read_table(out / "records").to_pylist()
    assert [(row["payload"], row["count"]) for row in rows] == [(b"alpha", 1), (b"bravo", 2)]


def test_every_byte_is_shown(tree: Path) -> None:
    shown = run(tree, "walproof", "inspect", "vectors/tally-log/two-records.tally")
    assert "records[1].checksum" in shown
