"""Print safely to a terminal, and protect files from being overwritten."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import click

from conformance.text import json_text, one_line

#: Commands that read a log exit with the status for its verdict.
EXIT_STATUS = {"intact": 0, "torn": 3, "damaged": 3, "refused": 4}


def _silence(context: click.Context, _: click.Parameter, is_quiet: bool) -> None:
    if is_quiet:
        context.meta[__name__] = True
        nowhere = context.with_resource(Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        context.with_resource(contextlib.redirect_stdout(nowhere))


#: Every command has this option. ``grep`` and ``git diff`` use the same name.
QUIET = click.Option(
    ["-q", "--quiet"], is_flag=True, expose_value=False, callback=_silence,
    help="Print only errors; the exit status has the result.",
)  # fmt: skip


def is_quiet() -> bool:
    """Return whether the running command has the option ``--quiet``."""
    context = click.get_current_context(silent=True)
    return context is not None and __name__ in context.meta


def say(text: str, *, err: bool = False, style: str | None = None) -> None:
    """Print one line, with control characters escaped."""
    line = one_line(text)
    click.echo(click.style(line, fg=style) if style else line, err=err)


def say_lines(text: str, *, err: bool = False) -> None:
    """Print a text, indenting all lines after the first.

    The indentation prevents a name that contains a line break from imitating a line of output.
    """
    first, *others = text.splitlines() or [""]
    say(first, err=err)
    for line in others:
        say(f"  {line.removeprefix('  ')}", err=err)


def say_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON."""
    click.echo(json_text(value, indent))


def require_new_path(path: Path) -> None:
    """Raise ``ClickException`` if the path exists, even if it is a broken link."""
    if os.path.lexists(path):
        raise click.ClickException(f"{path} already exists: expected a new path")
