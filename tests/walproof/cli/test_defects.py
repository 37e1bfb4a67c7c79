"""A defect of Walproof ends a command with a message that asks for a report."""

from __future__ import annotations

import sys

import click
import pytest

from walproof.cli.command_group import run


@pytest.mark.parametrize("error", [RuntimeError("\x1b[2J"), OSError(5, "I/O"), KeyError("x")])
def test_a_defect_names_the_command_and_asks_for_a_report(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    @click.argument("words", nargs=-1)
    def broken(words: tuple[str, ...]) -> None:
        raise error

    monkeypatch.setattr(sys, "argv", ["walproof", "read", "a b.log"])
    with pytest.raises(SystemExit) as ended:
        run(broken)
    printed = capsys.readouterr()
    assert ended.value.code == 1 and not printed.out and "\x1b" not in printed.err
    first, *_, last, request = printed.err.splitlines()
    assert first.startswith("Traceback") and "in broken" in printed.err
    assert last.startswith("Error: a defect in Walproof ") and last.endswith(
        ": walproof read 'a b.log'"
    )
    assert request.startswith("Please report it")


def test_an_error_of_a_file_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @click.command()
    def broken() -> None:
        raise PermissionError(13, "Permission denied", "a\nb.log")

    monkeypatch.setattr(sys, "argv", ["walproof"])
    with pytest.raises(SystemExit) as ended:
        run(broken)
    assert ended.value.code == 1
    assert capsys.readouterr().err == "Error: a\\nb.log: Permission denied\n"
