"""How commands print, and what one that writes a file must not do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from conformance.text import json_text, one_line

EXIT_STATUS = {"intact": 0, "torn": 3, "damaged": 3, "refused": 4}
"""Verdict → what a command that reads a log exits with."""


def say(text: str, *, err: bool = False, style: str | None = None) -> None:
    """Print one line. What a name or a value in it could do to a terminal is spelled out."""
    line = one_line(text)
    click.echo(click.style(line, fg=style) if style else line, err=err)


def say_lines(text: str, *, err: bool = False) -> None:
    """Print a text of several lines; those after the first are indented.

    So a name with a newline in it cannot forge a line.
    """
    first, *others = text.splitlines() or [""]
    say(first, err=err)
    for line in others:
        say(f"  {line.removeprefix('  ')}", err=err)


def say_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON."""
    click.echo(json_text(value, indent))


def must_not_overwrite(log: Path, out: Path, option: str) -> None:
    """Raise ``UsageError`` if ``out`` is the log, or a file of it, under whatever name.

    Files are told apart by device and inode, so links do not get around it.
    """
    if not out.exists():
        return
    files = [log, *log.rglob("*")] if log.is_dir() else [log]
    if any(out.samefile(file) for file in files if file.exists()):
        raise click.UsageError(f"{option} {out} would overwrite the log")
