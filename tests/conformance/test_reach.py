"""A program under test has no access to the outside."""

from __future__ import annotations

import json
import os
import socket
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
    """Yield a file that must not change, and all other targets."""
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
