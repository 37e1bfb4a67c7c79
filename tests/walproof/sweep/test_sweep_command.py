"""``walproof sweep`` prints a summary and errors, and has the right exit status."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click import ClickException, UsageError
from click.testing import CliRunner, Result

from conformance import registry
from tests.walproof.sweep.plans import wrong
from walproof.cli import program_options
from walproof.cli.sweep import sweep

THREE = ("--format", "leveldb-log", "--control", "three-records")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(sweep, arguments, standalone_mode=False)


def command(name: str) -> str:
    return " ".join(wrong(name).subject.command)


def test_command_with_correct_readers(tmp_path: Path) -> None:
    result = run(*THREE, "--cases", "200", "--impl", "executable-spec", "--impl", "fast-scan",
                 "--wall-ms", "20000", "--out", str(tmp_path))  # fmt: skip
    assert result.exception is None, result.output
    assert result.return_value == 0
    assert "No findings." in result.output
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert 100 < summary["cases"] <= 200 == sum(c["planned"] for c in summary["coverage"].values())
    profiles = summary["by_profile"]
    assert set(profiles) == {"recover", "strict", "append"}
    assert sum(profiles.values()) == summary["cases"]
    outcomes = {name: entry["outcomes"] for name, entry in summary["implementations"].items()}
    assert outcomes["executable-spec"] == outcomes["reference"] == {"agrees": summary["cases"]}
    assert outcomes["fast-scan"] == {"agrees": profiles["recover"]}


def test_results_replace_only_those_of_an_earlier_sweep(tmp_path: Path) -> None:
    arguments = (*THREE, "--cases", "30", "--out", str(tmp_path / "out"))
    wrong_reader = run(*arguments, "--cmd", command("ignores_checksums"))
    assert wrong_reader.return_value == 3, wrong_reader.output
    assert list((tmp_path / "out" / "vectors" / "leveldb-log").glob("*/*.json"))
    assert run(*arguments).return_value == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["summary.json"]
    (tmp_path / "out" / "summary.json").write_text('{"findings": 3}')
    refused = run(*arguments)
    assert isinstance(refused.exception, ClickException)
    assert "expected a new folder" in str(refused.exception)
    assert (tmp_path / "out" / "summary.json").read_text() == '{"findings": 3}'


def test_format_is_that_of_the_program(tmp_path: Path) -> None:
    arguments = ("--control", "three-records", "--cases", "20", "--out", str(tmp_path))
    result = run(*arguments, "--cmd", command("breakable_reader"))
    assert result.exception is None, result.output
    assert json.loads((tmp_path / "summary.json").read_text())["format"] == "leveldb-log"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--impl", "fast-scan"], "--format: choose one of leveldb-log, zeebe-journal"),
        (["--impl", "goleveldb", "--impl", "zmq-raft"], "no format is read by every program"),
        ([], "--format or a program that reads one format is required"),
        (["--flips"], "--flips requires --format"),
    ],
)
def test_unclear_format_is_a_usage_error(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing_to_build = SimpleNamespace(unavailable={})
    monkeypatch.setattr(program_options, "build_missing", lambda _: nothing_to_build)
    monkeypatch.setattr(registry.Implementation, "is_built", lambda _: True)
    error = run(*arguments).exception
    assert isinstance(error, UsageError) and message in error.message


def test_command_reports_a_failed_control(tmp_path: Path) -> None:
    result = run(*THREE, "--cases", "60", "--cmd", command("duplicates_records"),
                 "--out", str(tmp_path))  # fmt: skip
    output = " ".join(result.output.split())
    failed = "duplicates_records.py fails 1 undamaged control: leveldb-log/three-records recover"
    assert failed in output
    assert "cases: damaged copies of the failed controls" in output
    assert "No findings." in output
    assert result.return_value == 3


def test_option_seconds_limits_the_run(tmp_path: Path) -> None:
    result = run(*THREE, "--seconds", "0", "--out", str(tmp_path))
    assert result.return_value == 0
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert not summary["complete"] and summary["cases"] == 0


def test_option_profile_selects_cases(tmp_path: Path) -> None:
    arguments = (*THREE, "--cases", "40", "--profile", "append", "--out", str(tmp_path))
    result = run(*arguments)
    assert result.return_value == 0, result.output
    assert "appends" in result.output and "truncations" not in result.output
    failed = run(*arguments, "--cmd", command("breakable_reader"))
    assert "no program supports append" in str(failed.exception)


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


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [
        (("--format", "levldb-log"), "leveldb-log"),
        (("--format", "leveldb-log", "--impl", "fast-scna"), "fast-scan"),
    ],
)
def test_unknown_names_are_errors_with_the_nearest_name(
    arguments: tuple[str, ...], nearest: str
) -> None:
    assert f"did you mean {nearest}?" in str(run(*arguments).exception)
