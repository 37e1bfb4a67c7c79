"""A run counts what it tries, keeps findings beyond the process, and names who ended it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conformance import VECTORS
from conformance.vectors import load
from lab.__main__ import lab
from lab.fuzz.inputs import Input
from lab.fuzz.run import _culprit, has_engine
from lab.fuzz.worker import LAST
from walproof.cli.command_group import run as run_group

VECTOR = load(VECTORS / "leveldb-log/three-records.json")
WITH_ATHERIS = pytest.mark.skipif(not has_engine(), reason="atheris is not installed")
ONE = Input("leveldb-log", "x.log", VECTOR.contents, {}, VECTOR.id)


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["lab", "fuzz", *words])
    with pytest.raises(SystemExit) as ended:
        run_group(lab)
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    "engine",
    ["blind", pytest.param("coverage", marks=WITH_ATHERIS)],
)
def test_a_short_run(engine: str, monkeypatch, tmp_path: Path, capfd) -> None:
    words = ["--format", "leveldb-log", "--target", "reference", "--inputs", "200"]
    words += ["--out", str(tmp_path / "out"), "--corpus", str(tmp_path / "corpus")]
    assert run(monkeypatch, *words, *(["--blind"] if engine == "blind" else [])) == 0
    (message,) = json.loads((tmp_path / "out/summary.json").read_text())["outcomes"]
    assert message["inputs"] >= 200
    assert message["engine"] == engine
    assert message["findings"] == {}
    if engine == "coverage":
        assert message["coverage"] > 50
        assert message["corpus"] > 0


def test_an_input_is_tried_again(monkeypatch, tmp_path: Path, capfd) -> None:
    (tmp_path / "one.fuzz").write_bytes(ONE.pack())
    words = ["--repeat", str(tmp_path / "one.fuzz"), "--target", "reference"]
    assert run(monkeypatch, *words, "--unpack", str(tmp_path / "log")) == 0
    assert "No fault." in capfd.readouterr().out
    assert (tmp_path / "log/x.log").read_bytes() == VECTOR.contents


def test_what_is_no_input_is_said(monkeypatch, tmp_path: Path, capfd) -> None:
    (tmp_path / "one.fuzz").write_bytes(b"nothing")
    assert run(monkeypatch, "--repeat", str(tmp_path / "one.fuzz")) == 1
    assert "line 1: expected what a log is" in capfd.readouterr().err


def test_the_input_that_ended_a_process_is_found(tmp_path: Path) -> None:
    (tmp_path / "artifacts").mkdir()
    assert _culprit(tmp_path) is None
    packed = ONE.pack()
    (tmp_path / LAST).write_bytes(len(packed).to_bytes(8, "little") + packed + b"longer before")
    assert _culprit(tmp_path) == ("crash", ONE)
    (tmp_path / "artifacts/timeout-0123").write_bytes(packed)
    assert _culprit(tmp_path) == ("timeout", ONE)
