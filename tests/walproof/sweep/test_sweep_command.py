"""The command ``walproof sweep``: its summary, its exit status, its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.walproof.sweep.plans import wrong
from walproof.cli.sweep import sweep


def test_the_command(tmp_path: Path) -> None:
    arguments = ["--format", "leveldb-log", "--control", "three-records"]
    arguments += ["--impl", "fast-scan", "--cases", "3000", "--out", str(tmp_path)]
    ran = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert ran.exception is None, ran.output
    assert ran.return_value == 0
    assert "reference read every case." in ran.output and "No findings." in ran.output
    told = json.loads((tmp_path / "summary.json").read_text())
    assert told["cases"] >= told["distinct"] > 1000
    assert told["cases"] <= 3000 == sum(c["planned"] for c in told["coverage"].values())
    profiles = told["by_profile"]
    assert told["implementations"]["fast-scan"]["outcomes"] == {"agrees": profiles["recover"]}
    assert set(profiles) == {"recover", "strict", "append", "write"}
    assert sum(profiles.values()) == told["cases"]
    again = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert "Nothing was left to run." in again.output


def test_the_command_finds(tmp_path: Path) -> None:
    program = wrong("hides_damage").subject.command
    arguments = ["--format", "leveldb-log", "--control", "three-records"]
    arguments += ["--cmd", " ".join(program), "--cases", "1000", "--out", str(tmp_path)]
    ran = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert ran.return_value == 3, ran.output
    assert "passes over a loss in silence" in ran.output
    assert list((tmp_path / "proposals" / "leveldb-log").glob("*.json"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--format", "leveldb-log", "--impl", "nobody"],
        ["--format", "zmq-raft", "--impl", "leveldb-cpp"],
        ["--format", "leveldb-log", "--control", "no-such-vector"],
        ["--format", "leveldb-log", "--json"],
        ["--format", "leveldb-log", "--flips", "--impl", "fast-scan"],
    ],
)
def test_usage_errors(arguments: list[str], tmp_path: Path) -> None:
    out = [] if "--flips" in arguments else ["--out", str(tmp_path)]
    ran = CliRunner().invoke(sweep, [*arguments, *out])
    assert ran.exit_code != 0 and "Error" in ran.output
