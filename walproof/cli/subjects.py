"""The programs that a command line names: any command, or an implementation of this repository."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import click

from conformance import known_failures
from conformance.one_shot import formats_read, takes_strict
from conformance.process import CannotStart
from conformance.registry import Implementation
from conformance.scratch import Scratch
from conformance.session import why_no_hello
from conformance.subject import Subject, subject_of
from conformance.vectors import Vector
from walproof.cli.output import say
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
    words = words_of(command)
    subject = Subject(command, command, words, named_by_hello=True, isolated=isolated)
    # ``python3 src/reader.py``: the reader is what somebody opens, not the interpreter.
    files = [Path(word) for word in reversed(words) if "/" in word or "." in word]
    subject.place = next((file for file in files if file.is_file()), None)
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
    ours: Mapping[str, Implementation] = {each.name: each for each in all_implementations()}
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in ours:
            listed = ", ".join([*others, *ours])
            raise click.UsageError(f"--impl: expected one of {listed}, found {name!r}")
    return [ours[name] for name in names]


def own_subject(implementation: Implementation, isolated: bool = True) -> Subject:
    """The subject of ``--impl``; a broken list of known failures is a one-line error."""
    try:
        subject = subject_of(implementation, program_name())
        subject.isolated = isolated
        subject.repeat += flag(isolated)
        subject.ask += flag(isolated)
        return subject
    except known_failures.BrokenList as error:
        raise click.ClickException(str(error)) from None


def with_list(subjects: Iterable[Subject], command: str, file: Path) -> None:
    """Give the program of ``--cmd`` its list of known failures.

    A broken list is an error of one line.
    """
    for subject in subjects:
        if subject.title == command:
            try:
                subject.known = known_failures.load(file)
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


def chosen_subjects(
    commands: Sequence[str],
    names: Sequence[str],
    one_shot: bool,
    isolated: bool,
    chosen: Sequence[Vector],
    telling: Collection[Vector],
) -> list[Subject]:
    """The programs of ``--cmd``, then those of ``--impl``; without either, all of ours.

    ``chosen`` are the vectors of the run. Of a one-shot program that is asked about several formats
    ``telling`` are the vectors that show which of them it reads; empty where formats were named.
    """
    results = []
    for command in dict.fromkeys(commands):
        subject = foreign(command, one_shot, isolated)
        why = None if one_shot else _no_hello(command, subject)
        told_one_shot(subject, one_shot or why is not None)
        every = sorted({vector.body["format"] for vector in chosen})
        if subject.one_shot and telling and len(every) > 1:
            subject.formats = _formats_of(command, subject, every, telling, why)
        if why is not None:
            say(
                f"{command}: no reply to hello ({why}); taken for a one-shot program,"
                f" `{command} read FORMAT PATH`. --one-shot leaves the question out.",
                err=True,
            )
        requested = [each for each in chosen if subject.formats and each.body["format"] in subject.formats]
        subject.strict = subject.one_shot and takes_strict(subject, requested or chosen)
        results.append(subject)
    ours = implementations(names) if names or commands else all_implementations()
    return results + [own_subject(each, isolated) for each in ours]


def _formats_of(
    command: str,
    subject: Subject,
    every: Sequence[str],
    vectors: Iterable[Vector],
    why: str | None,
) -> Sequence[str]:
    """Which of these formats a one-shot program is asked about: it has no hello to name them.

    It is said which, and how to choose. Raises an error of one line if it only dies; ``why`` is
    what came instead of a hello, if it was asked for one.
    """
    tried = formats_read(subject, [each for each in vectors if each.body["format"] in every])
    results = [format for format, reads in tried.items() if reads is True]
    died = {format: why for format, why in tried.items() if isinstance(why, str)}
    if died and len(died) == len(tried):
        no_hello = f"no reply to hello ({why}), and " if why else ""
        raise click.ClickException(
            f"--cmd {command!r}: {no_hello}no answer to `{command} read FORMAT PATH`"
            f" about any format ({next(iter(died.values()))})"
        )
    because = "whose smallest log it reads" if results else "though it reads no smallest log right"
    say(
        f"{command}: asked about {', '.join(results or every)}, {because}; --format ID chooses.",
        err=True,
    )
    return results or every


def _no_hello(command: str, subject: Subject) -> str | None:
    """Why a program must be one-shot, if it must."""
    scratch = Scratch()
    try:
        return why_no_hello(subject.command, subject.sandbox(scratch.folder))
    except CannotStart as error:
        raise click.ClickException(f"--cmd {command!r}: {error}") from None
    finally:
        scratch.close()
