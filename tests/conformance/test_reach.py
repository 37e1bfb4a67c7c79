"""A program under test has no access to the outside, in check and in the sweep."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance import ROOT, VECTORS
from conformance.cases import cases_of
from conformance.runner import run_subjects
from conformance.sandbox import bubblewrap
from conformance.subject import Subject
from conformance.vectors import load

REACHES = (sys.executable, str(ROOT / "tests" / "wrong" / "reaches_out.py"))
ANSWER = VECTORS / "leveldb-log" / "three-records.json"
LOG = load(ANSWER)
EVERYTHING = [
    "changed the file", "read the answer", "reached the port", "signalled the process",
    "has the token",
]  # fmt: skip

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bubblewrap() is None, reason="bubblewrap is not usable here"),
]


@pytest.fixture(autouse=True)
def precious(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file that nobody may change, and all other targets."""
    file = tmp_path / "precious"
    file.write_text("as it was")
    with socket.create_server(("127.0.0.1", 0)) as server:
        targets = {
            "file": str(file), "answer": str(ANSWER), "process": os.getpid(),
            "port": server.getsockname()[1],
        }  # fmt: skip
        monkeypatch.setenv("WALPROOF_REACH", json.dumps(targets))
        monkeypatch.setenv("SECRET_TOKEN", "hunter2")
        yield file


@pytest.mark.parametrize("one_shot", [False, True])
@pytest.mark.parametrize("isolated", [True, False])
def test_check_isolates_the_program(one_shot: bool, isolated: bool, precious: Path) -> None:
    subject = Subject("reaches", "reaches", REACHES, one_shot=one_shot, isolated=isolated)
    (run,) = run_subjects([subject], lambda _: cases_of([LOG], ["recover"]), 1)
    (result,) = run.results
    assert result["class"] == ("pass" if isolated else "fail")
    assert isolated or result["actual"]["signals"] == EVERYTHING
    assert (precious.read_text() == "as it was") is isolated


@pytest.mark.parametrize("option", ["", "--no-isolation"])
def test_the_sweep_reports_its_isolation(option: str, tmp_path: Path, precious: Path) -> None:
    done = subprocess.run(
        [
            sys.executable, "-m", "walproof", "sweep", "--format", "leveldb-log", "--cmd",
            shlex.join(REACHES), "--control", "one-record", "--cases", "60", "--profile", "recover",
            "--out", str(tmp_path / "out"), *option.split(),
        ],
        capture_output=True, text=True, timeout=240, cwd=ROOT,
    )  # fmt: skip
    output = " ".join(done.stdout.split())
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    if option:
        assert "isolation: scratch copies" in output and "not isolated: a program could" in output
        assert precious.read_text() == "changed"
        return
    assert "isolation: own folder, bubblewrap" in output
    assert "not isolated" not in output
    assert summary["isolation"]["could"] == []
    assert summary["implementations"]["reaches_out.py"]["outcomes"].keys() == {"agrees"}, output
    assert precious.read_text() == "as it was"
