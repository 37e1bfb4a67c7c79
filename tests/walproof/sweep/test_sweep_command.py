"""The command ``walproof sweep``: its summary, its exit status, its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.walproof.sweep.plans import wrong
from walproof.cli.sweep import sweep


def test_command_with_correct_readers(tmp_path: Path) -> None:
    arguments = ["--format", "leveldb-log", "--control", "three-records", "--cases", "200"]
    arguments += ["--impl", "executable-spec", "--impl", "fast-scan", "--out", str(tmp_path)]
    result = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert result.exception is None, result.output
    assert result.return_value == 0
    assert "No findings." in result.output
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert 100 < summary["cases"] <= 200 == sum(c["planned"] for c in summary["coverage"].values())
    profiles = summary["by_profile"]
    assert set(profiles) == {"recover", "strict", "append", "write"}
    assert sum(profiles.values()) == summary["cases"]
    outcomes = {name: entry["outcomes"] for name, entry in summary["implementations"].items()}
    assert outcomes["executable-spec"] == outcomes["reference"] == {"agrees": summary["cases"]}
    assert outcomes["fast-scan"] == {"agrees": profiles["recover"]}
    second = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert "No cases left to run." in second.output


def test_command_reports_a_wrong_reader(tmp_path: Path) -> None:
    program = wrong("hides_damage").subject.command
    arguments = ["--format", "leveldb-log", "--control", "three-records"]
    arguments += ["--cmd", " ".join(program), "--cases", "300", "--out", str(tmp_path)]
    result = CliRunner().invoke(sweep, arguments, standalone_mode=False)
    assert result.return_value == 3, result.output
    assert "does not report a loss" in result.output
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
def test_invalid_arguments_are_usage_errors(arguments: list[str], tmp_path: Path) -> None:
    out = [] if "--flips" in arguments else ["--out", str(tmp_path)]
    result = CliRunner().invoke(sweep, [*arguments, *out])
    assert result.exit_code != 0 and "Error" in result.output
