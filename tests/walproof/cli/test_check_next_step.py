"""After a full score, ``walproof check`` suggests the sweep; it also accepts vector files."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

import pytest
from click import ClickException
from click.testing import CliRunner, Result

from conformance import ROOT, VECTORS
from conformance.vectors import load
from walproof.cli import check as check_module
from walproof.cli.check import check

WRONG = ROOT / "tests" / "wrong"
LOGS = VECTORS / "leveldb-log"


@pytest.fixture(autouse=True)
def few_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use three vectors instead of all."""
    names = ("one-record", "three-records", "payload-flipped-in-second-record")
    few = {vector.id: vector for vector in (load(LOGS / f"{name}.json") for name in names)}
    monkeypatch.setattr(check_module, "load_all", lambda: dict(few))


def checked(tmp_path: Path, program: str, *arguments: str) -> Result:
    command = shlex.join([sys.executable, str(WRONG / f"{program}.py")])
    requested = ["--cmd", command, *arguments, "--report", str(tmp_path / "report")]
    return CliRunner().invoke(check, requested, standalone_mode=False)


def test_a_full_score_suggests_the_sweep(tmp_path: Path) -> None:
    ran = checked(tmp_path, "breakable_reader", "--format", "leveldb-log")
    assert ran.return_value == 0, ran.output
    assert "--format leveldb-log --cases 200000" in ran.output
    assert " sweep --cmd " in ran.output


@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("hides_damage", ["--format", "leveldb-log"]),
        ("breakable_reader", ["--vector", "leveldb-log/three-records"]),
    ],
)
def test_a_lower_score_suggests_nothing(tmp_path: Path, program: str, arguments: list[str]) -> None:
    assert "--cases 200000" not in checked(tmp_path, program, *arguments).output


def test_a_vector_file_is_accepted(tmp_path: Path) -> None:
    slug = "checksum-flipped-in-first-record"
    for suffix in (".json", ".log"):
        shutil.copy(VECTORS / "leveldb-log" / f"{slug}{suffix}", tmp_path)
    ran = checked(tmp_path, "hides_damage", "--vector", str(tmp_path / f"{slug}.json"))
    assert ran.return_value == 3
    assert f"leveldb-log/{slug}" in ran.output
    broken = tmp_path / "broken.json"
    broken.write_text("{}")
    ran = checked(tmp_path, "hides_damage", "--vector", str(broken))
    assert isinstance(ran.exception, ClickException) and "broken.json" in ran.exception.message
