"""An invalid declaration ends a command with a one-line error and no traceback."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from walproof import implementations
from walproof.cli.command_group import run
from walproof.setup import setup


def test_an_invalid_implementation_is_a_one_line_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one" / "implementation.toml"
    path.parent.mkdir()
    lines = ['name = "one"', 'title = "One"', 'formats = ["leveldb-log"]', 'command = ["run"]']
    path.write_text("\n".join([*lines, 'biuld = ["run"]', ""]))
    monkeypatch.setattr(implementations, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["walproof.setup"])
    with pytest.raises(SystemExit, match="1"):
        run(setup)
    message = capsys.readouterr().err
    assert message.startswith(f"Error: {path}: ") and message.count("\n") == 1
    assert "'biuld' was unexpected" in message
