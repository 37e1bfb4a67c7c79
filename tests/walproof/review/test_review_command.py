"""``walproof review`` works in a separate repository: revisions, outputs and exit status."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import walproof.cli.review as command

GRAMMAR = (Path(__file__).parent / "toy_log.ksy").read_text(encoding="utf-8")
#: A log without records in the format of ``GRAMMAR``.
EMPTY = b"TOYLOG" + struct.pack("<HHQB7x", 1, 16, 0, 0) + bytes(7)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with one grammar that was committed and then changed."""
    (tmp_path / "ksy").mkdir()
    file = tmp_path / "ksy" / "toy_log.ksy"
    file.write_text(GRAMMAR, encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments],
            cwd=tmp_path, check=True,
        )  # fmt: skip
    file.write_text(GRAMMAR.replace("max: 2", "max: 3"), encoding="utf-8")
    monkeypatch.setattr(command, "ROOT", tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command.review, arguments, standalone_mode=False)


def test_breaking_change_exits_with_1(repository: Path) -> None:
    result = run()
    assert result.return_value == 1
    assert result.output.startswith("BREAKING against HEAD")
    assert "FIELD_CHANGED" in result.output and "ksy/toy_log.ksy:" in result.output


def test_option_repository_and_json(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setattr(command, "ROOT", elsewhere)
    monkeypatch.setattr("walproof.cli.checkout.IS_INSTALLED", True)
    result = run("--repository", str(repository), "--json")
    assert result.return_value == 1
    report = json.loads(result.stdout)
    # Without logs, nothing shows that old files are read in the same way.
    assert (report["compatible"], report["breaks"]) == (False, ["READ", "WRITE"])
    (finding,) = report["findings"]
    assert (finding["rule"], finding["where"]) == ("FIELD_CHANGED", "ksy/toy_log.ksy:13")
    assert "no folder ksy" in str(run("--repository", str(elsewhere)).exception)


def test_logs_of_the_repository_decide(repository: Path) -> None:
    (repository / "vectors" / "toy-log").mkdir(parents=True)
    (repository / "vectors" / "toy-log" / "empty.log").write_bytes(EMPTY)
    result = run("--json")
    report = json.loads(result.stdout)
    assert (result.return_value, report["breaks"]) == (1, ["WRITE"])
    (table,) = report["behaviour"]
    assert table["agreement"] == [{"damaged": False, "agree": 1, "of": 1}]


def test_misspelt_format_is_a_usage_error_with_the_near_name(repository: Path) -> None:
    (repository / "vectors" / "toy-log").mkdir(parents=True)
    (repository / "vectors" / "toy-log" / "empty.log").write_bytes(EMPTY)
    result = CliRunner().invoke(command.review, ["--format", "toy"])
    assert result.exit_code != 0
    assert "--format toy: unknown format; did you mean toy-log?" in result.stderr


def test_nothing_compared_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a" / "vectors").mkdir(parents=True)
    (tmp_path / "b" / "ksy").mkdir(parents=True)
    arguments = ["--repository", str(tmp_path / "b"), "--against", str(tmp_path / "a")]
    result = CliRunner().invoke(command.review, arguments)
    assert result.exit_code == 1
    assert "nothing was compared" in result.stderr


def test_identical_tree_is_compatible(repository: Path) -> None:
    result = run("--against", str(repository))
    assert result.return_value == 0
    assert "no relevant difference" in result.output


def test_failed_review_exits_with_2(repository: Path) -> None:
    result = run("--against", "no-such-branch")
    assert result.return_value == 2
    assert "no such revision" in result.stderr
    (repository / "ksy" / "toy_log.ksy").write_text(GRAMMAR.replace("type: u4", "type: u5"))
    result = run()
    assert result.return_value == 2
    assert "toy_log.ksy:" in result.stderr
