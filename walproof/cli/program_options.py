"""Define options that select programs: any command, or implementations in this repository."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import click

from conformance.checked_program import CheckedProgram, checked_implementation
from conformance.process import CannotStart
from conformance.program_session import probe_hello
from conformance.registry import Implementation
from conformance.scratch import Scratch
from reference_impl.formats import FORMATS
from reference_impl.paths import IS_INSTALLED
from walproof.builds import build_missing
from walproof.cli.near_names import did_you_mean
from walproof.cli.output import say
from walproof.implementations import all_implementations

#: Commands that run programs have this option.
isolation = click.option(
    "--no-isolation", "isolated", flag_value=False, default=True,
    help="Run programs with your network, files, environment and folder.",
)  # fmt: skip


def words_of(command: str) -> list[str]:
    """Split ``--cmd`` into a program and its arguments as a shell does. Raises a usage error."""
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
    if os.sep not in program:
        return f"no program {program!r} on PATH"
    if Path(program).exists():
        return f"{program} may not be executed (chmod +x?)"
    return f"no such file: {program}"


def foreign(command: str, one_shot: bool = False, isolated: bool = True) -> CheckedProgram:
    """Return the program for ``--cmd COMMAND``. Raises the errors of :func:`words_of`."""
    words = words_of(command)
    subject = CheckedProgram(command, command, words, named_by_hello=True, isolated=isolated)
    # If the command is ``python3 src/reader.py``, the program under test is the script, not Python.
    files = [Path(word) for word in reversed(words) if "/" in word or "." in word]
    subject.place = next((file for file in files if file.is_file()), None)
    set_one_shot(subject, one_shot)
    return subject


def set_one_shot(subject: CheckedProgram, one_shot: bool) -> None:
    """Set whether a program is one-shot, and update the commands that repeat its cases."""
    subject.one_shot = one_shot
    chosen = f"--cmd {shlex.quote(subject.title)}{' --one-shot' * one_shot}"
    chosen += flag(subject.isolated)
    subject.repeat = f"{program_name()} check {chosen}"
    subject.ask = f"{program_name()} ask {chosen}"


def implementations(names: Iterable[str], others: Iterable[str] = ()) -> list[Implementation]:
    """Return the implementations for ``--impl NAME``.

    Raises a usage error for an unknown name. The error lists the valid names and ``others``.
    """
    ours: Mapping[str, Implementation] = {each.name: each for each in all_implementations()}
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in ours:
            listed = [*others, *ours]
            near = did_you_mean(name, listed) or f": expected one of {', '.join(listed)}"
            raise click.UsageError(f"unknown implementation {name!r}{near}")
    return [ours[name] for name in names]


def implementation_subjects(
    chosen: Sequence[Implementation], isolated: bool = True
) -> list[CheckedProgram]:
    """Return the programs for ``--impl``; build them if necessary. Raises ``BrokenList``."""
    unavailable = build_missing(chosen).unavailable
    subjects = []
    for implementation in chosen:
        why = unavailable.get(implementation.name)
        subject = checked_implementation(implementation, program_name(), why)
        subject.isolated = isolated
        subject.repeat += flag(isolated)
        subject.ask += flag(isolated)
        subjects.append(subject)
    return subjects


def flag(isolated: bool) -> str:
    """Return the option that a command needs to repeat the run with the same isolation."""
    return "" if isolated else " --no-isolation"


def program_name() -> str:
    """Return the name of this program as the user would have to type it."""
    called = Path(sys.argv[0])
    # In a checkout, make adds the virtual environment to PATH. The user's shell may lack it.
    if (
        IS_INSTALLED
        and (found := shutil.which(called.name))
        and Path(found).resolve() == called.resolve()
    ):
        return called.name
    if called.name == "__main__.py":
        python = os.path.relpath(sys.executable)
        return f"{'python' if python.startswith('..') else python} -m {called.parent.name}"
    try:
        return os.path.relpath(called) if called.parent.name == "bin" else called.name
    except ValueError:  # On Windows, the program may be on another drive.
        return called.name


def chosen_subjects(
    commands: Sequence[str],
    names: Sequence[str],
    one_shot: bool,
    isolated: bool,
    profiles: Collection[str],
    formats: Collection[str] = (),
    read: Set[str] = frozenset(),
) -> list[CheckedProgram]:
    """Return the programs for ``--cmd`` and ``--impl``, by default all that support ``read``.

    Raises a usage error if a one-shot program is combined with several ``formats``.
    """
    results = []
    for command in dict.fromkeys(commands):
        subject = foreign(command, one_shot, isolated)
        hello, why = ({}, None) if one_shot else _probed(command, subject)
        # A program gets all chosen vectors if it is one-shot or does not state its formats.
        read_formats = tuple(hello.get("formats", ()))
        subject.formats = read_formats if set(read_formats) <= set(FORMATS) else ()
        set_one_shot(subject, one_shot or why is not None)
        subject.strict = subject.one_shot and "strict" in profiles
        if why is not None:
            say(
                f"{command}: no reply to hello ({why}); treated as a one-shot program,"
                f" `{command} read FORMAT PATH`. --one-shot skips the hello. With the protocol, a"
                " program starts once and not for each log, which is up to 20 times as fast.",
                err=True,
            )
        if subject.one_shot and len(formats) > 1:
            raise click.UsageError(
                f"--cmd {command!r}: a one-shot program cannot list its formats; choose one with"
                f" --format (or make's FORMAT=): {', '.join(sorted(formats))}"
            )
        results.append(subject)
    ours = implementations(names)
    if not names and not commands:
        ours = [
            each for each in all_implementations() if not each.formats or read & {*each.formats}
        ]
    return results + implementation_subjects(ours, isolated)


def _probed(command: str, subject: CheckedProgram) -> tuple[dict[str, Any], str | None]:
    """Return a program's hello message. If there is none, return an empty one and the reason."""
    scratch = Scratch()
    try:
        return probe_hello(subject.command, subject.sandbox(scratch.folder))
    except CannotStart as error:
        raise click.ClickException(f"--cmd {command!r}: {error}") from None
    finally:
        scratch.close()
