"""A new format needs only files in five directories, as a made-up format in a copied tree shows.

See CONTRIBUTING.md.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conformance import ROOT
from conformance.traceability import problems
from lab.new_format import new_format

pytestmark = pytest.mark.slow

DIRECTORIES = ("spec", "ksy", "reference_impl", "conformance", "walproof")
FORMAT = "my-log"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree with a new format and no vectors of other formats."""
    tree = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in DIRECTORIES:
        shutil.copytree(ROOT / name, tree / name, ignore=ignored)
    (tree / "vectors").mkdir()
    for path in (ROOT / "vectors").glob("*.*"):
        shutil.copy(path, tree / "vectors")
    # The copy uses the installed grammar compiler, and builds everything else itself.
    (tree / ".build").mkdir()
    (tree / ".build" / "kaitai").symlink_to(ROOT / ".build" / "kaitai")
    new_format(FORMAT, tree)
    run(tree, "conformance.traceability.write_tables")
    run(tree, "conformance.recipes", "--format", FORMAT)
    return tree


def run(tree: Path, module: str, *arguments: str, status: int = 0) -> str:
    """Run a module in the copy; return its output."""
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
    return done.stdout + done.stderr


def test_vectors_are_written(tree: Path) -> None:
    vector = json.loads((tree / "vectors/my-log/flipped-payload.json").read_text("utf-8"))
    assert vector["expect"]["verdict"] == "damaged"
    assert [record["count"] for record in vector["expect"]["records"]] == [2]


def test_check_runs_the_executable_specification(tree: Path) -> None:
    arguments = ["--impl", "executable-spec", "--format", "my-log"]
    assert "All is as expected." in run(tree, "walproof", "check", *arguments)


def test_a_log_is_recognised_and_summarised(tree: Path) -> None:
    shown = run(tree, "walproof", "vectors/my-log/flipped-payload.tally", status=3)
    assert "My log" in shown
    assert "a checksum that does not match" in shown


def test_a_log_is_read(tree: Path) -> None:
    shown = run(tree, "walproof", "read", "vectors/my-log/two-records.tally", "--json")
    assert '"count":2' in shown


def test_a_table_is_written_without_a_scanner_and_a_decoder(tree: Path) -> None:
    out = tree / "tables"
    log = "vectors/my-log/two-records.tally"
    run(tree, "walproof", "export", log, "--out", str(out))
    rows = pq.read_table(out / "kind=record").to_pylist()
    assert [(row["payload"], row["count"]) for row in rows] == [(b"alpha", 1), (b"bravo", 2)]


def test_every_byte_is_shown(tree: Path) -> None:
    shown = run(tree, "walproof", "inspect", "vectors/my-log/two-records.tally")
    assert "records[1].checksum" in shown


def test_every_requirement_code_and_vector_is_connected(tree: Path) -> None:
    found = [str(problem) for problem in problems(tree)]
    # Other formats have no vectors in the copy, so the check reports problems in them too.
    assert [text for text in found if "my-log" in text or "MYL-" in text or "my_log" in text] == []


def test_a_requirement_is_explained(tree: Path) -> None:
    assert "drop a record whose checksum does not match" in run(
        tree, "walproof", "explain", "MYL-004"
    )


def test_the_new_files_have_no_findings_of_style_and_types(tree: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tree)
    new = [str(path) for path in tree.rglob("*.py") if "my_log" in path.parts]
    run(tree, "ruff", "check", *new)
    run(tree, "ruff", "format", "--check", *new)
    run(tree, "mypy", *new)


def test_nothing_is_overwritten(tree: Path) -> None:
    with pytest.raises(FileExistsError, match="my"):
        new_format(FORMAT, tree)


def test_a_rule_is_changed(tree: Path) -> None:
    """The steps in CONTRIBUTING.md change a rule. This test runs last, as it changes the tree."""
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## A changed rule\n")[1]
    change = re.search(r"^```diff\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    shown = re.search(r"^\$ make vectors FORMAT=my-log\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert change and shown

    def apply(*options: str) -> None:
        command = ["git", "apply", *options, "-"]
        subprocess.run(command, cwd=tree, input=change[1], text=True, check=True)

    # A recipe states the survivors, so it contradicts the new rule until it is changed as well.
    apply("--exclude", "conformance/*")
    failed = run(tree, "conformance.recipes", "--format", FORMAT, status=1)
    assert " ".join(shown[1].split()) in " ".join(failed.split())
    apply("--include", "conformance/*")
    run(tree, "conformance.recipes", "--format", FORMAT)
    vector = json.loads((tree / "vectors/my-log/flipped-payload.json").read_text("utf-8"))
    assert vector["expect"]["records"] == []
    checked = run(tree, "walproof", "check", "--impl", "executable-spec", "--format", FORMAT)
    assert "All is as expected." in checked
