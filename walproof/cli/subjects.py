"""The programs that a command line names: any command, or an implementation of this repository."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from conformance import known_failures
from conformance.registry import Implementation
from conformance.subject import Subject, subject_of
from walproof.implementations import all_implementations

isolation = click.option(
    "--no-isolation", "isolated", flag_value=False, default=True,
    help="Run programs as any other: with your network, files, environment and folder.",
)  # fmt: skip
"""The option of the commands that run programs."""


def words_of(command: str) -> list[str]:
    """The program and arguments of ``--cmd``, split as a shell would.

    Raises an error of one line if the quotes are not balanced, or if there is no such program.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.ClickException(f"--cmd {command!r}: {str(error).lower()}") from None
    if not words:
        raise click.ClickException("--cmd: expected a program, found nothing")
    if shutil.which(words[0]) is None:
        raise click.ClickException(f"--cmd {command!r}: {_why_not(words[0])}")
    return words


def _why_not(program: str) -> str:
    """Why a program cannot be started."""
    if os.sep not in program:
        hint = f"; ./{program} is here" if Path(program).is_file() else ""
        return f"there is no program {program!r} on PATH{hint}"
    path = Path(program)
    if path.is_dir():
        return f"{program} is a folder"
    if path.exists():
        return f"{program} may not be executed (chmod +x?)"
    return f"there is no file {program}"


def foreign(command: str, one_shot: bool = False, isolated: bool = True) -> Subject:
    """The subject of ``--cmd COMMAND``; raises what :func:`words_of` raises."""
    subject = Subject(command, command, words_of(command), named_by_hello=True, isolated=isolated)
    told_one_shot(subject, one_shot)
    return subject


def told_one_shot(subject: Subject, one_shot: bool) -> None:
    """Note whether a foreign program is one-shot; the commands that repeat a case say it too."""
    subject.one_shot = one_shot
    chosen = f"--cmd {shlex.quote(subject.title)}{' --one-shot' * one_shot}"
    chosen += flag(subject.isolated)
    subject.repeat = f"{program_name()} check {chosen}"
    subject.ask = f"{program_name()} ask {chosen}"


def implementations(names: Iterable[str], others: Iterable[str] = ()) -> list[Implementation]:
    """The implementations of ``--impl NAME``; ``others`` are further names that an error lists.

    Raises a usage error that lists the names if one is unknown.
    """
    ours: Mapping[str, Implementation] = {one.name: one for one in all_implementations()}
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in ours:
            listed = ", ".join([*others, *ours])
            raise click.UsageError(f"--impl: expected one of {listed}, found {name!r}")
    return [ours[name] for name in names]


def own(implementation: Implementation, isolated: bool = True) -> Subject:
    """The subject of ``--impl``; a broken list of known failures is a one-line error."""
    try:
        subject = subject_of(implementation, program_name())
        subject.isolated = isolated
        subject.repeat += flag(isolated)
        subject.ask += flag(isolated)
        return subject
    except known_failures.BrokenList as error:
        raise click.ClickException(str(error)) from None


def flag(isolated: bool) -> str:
    """The option of a command that repeats what was run so."""
    return "" if isolated else " --no-isolation"


def program_name() -> str:
    """How this command was called, so that what is printed can be pasted."""
    called = Path(sys.argv[0])
    try:
        return os.path.relpath(called) if called.parent.name == "bin" else called.name
    except ValueError:  # another drive
        return called.name
