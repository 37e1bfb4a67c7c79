"""The wheel: everything that runs from the repository runs from ``site-packages`` as well."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from conformance import ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages as pip would lay it, from a wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "--wheel-dir", str(folder), str(ROOT)], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site-packages")
    return folder / "site-packages"


@pytest.fixture
def walproof(installed: Path, tmp_path: Path):
    """Runs the command out of the wheel, in a folder and with a cache of its own."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "PYTHONPATH": str(installed),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }
        return subprocess.run(
            [sys.executable, "-m", "walproof", *words],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def test_it_reads_a_log(walproof, tmp_path: Path) -> None:
    log = tmp_path / "000003.log"
    log.write_bytes((ROOT / "vectors" / "leveldb-log" / "three-records.log").read_bytes())
    done = walproof("read", str(log), "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["records"]) == 3


def test_nothing_of_it_runs_in_other_python_processes(installed: Path) -> None:
    assert not list(installed.rglob("*.pth"))


def test_it_carries_the_suite(walproof, tmp_path: Path) -> None:
    done = walproof("check", "--impl", "executable-spec", "--vector", "leveldb-log/three-records")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All is as expected." in done.stdout
    assert (tmp_path / "reports" / "check" / "report.html").exists()


def test_it_carries_the_grammars(walproof, tmp_path: Path, installed: Path) -> None:
    """And their parsers: nothing is compiled."""
    before = sorted(installed.iterdir())
    done = walproof("inspect", str(ROOT / "vectors" / "leveldb-log" / "three-records.log"))
    assert done.returncode == 0, done.stderr
    assert "blocks[0].records[2].header.type" in done.stdout
    assert sorted(installed.iterdir()) == before
    assert not list((tmp_path / "cache" / "walproof").glob("kaitai/*"))
    parsers = {one.name.partition("-")[0] for one in installed.glob("walproof_data/kaitai/*")}
    assert parsers == {grammar.stem for grammar in (ROOT / "ksy").glob("*.ksy")}
