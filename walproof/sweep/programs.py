"""Who is asked: programs of the command line and of the matrix, and what they say they are."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.one_shot import takes_strict
from conformance.protocol.messages import ProtocolError
from conformance.scratch import Held
from conformance.session import file_name
from conformance.subject import Subject
from conformance.vectors import Vector
from walproof.sweep.children import Asker, Limits
from walproof.sweep.plan import FAST, REFERENCE, Program
from walproof.sweep.process import Ended
from walproof.sweep.settings import PROFILES, READING

HELLO_SECONDS = 10.0


class NoProgram(ValueError):
    """A program that cannot be asked about a format."""


def introduced(
    program: Program, format: str, limits: Limits, vectors: Iterable[Vector] = ()
) -> tuple[Program, str | None]:
    """A program as its hello describes it, and why it must be one-shot if it says none.

    With the ``vectors`` it is found out whether a one-shot program takes the profile ``strict``.
    Raises :class:`NoProgram` if it says that it does not read the format, or in no profile.
    """
    try:
        hello = _hello(program, replace(limits, start_seconds=HELLO_SECONDS))
    except (Ended, ProtocolError) as error:
        of_format = [vector for vector in vectors if vector.body["format"] == format]
        subject = Subject(program.name, program.name, program.command, isolated=program.isolated)
        strict = takes_strict(subject, of_format)
        known = READING if strict else READING[:1]
        return replace(program, one_shot=True, profiles=known), str(error)
    if format not in hello["formats"] and "*" not in hello["formats"]:
        raise NoProgram(f"{program.name} reads {', '.join(hello['formats'])}, and not {format}")
    profiles = tuple(profile for profile in PROFILES if profile in hello["profiles"])
    if not profiles:
        raise NoProgram(f"{program.name} has no profile: {', '.join(hello['profiles'])}")
    return replace(program, profiles=profiles), None


def _hello(program: Program, limits: Limits) -> Mapping[str, Any]:
    held = Held()
    box = program.box(held.folder)
    asker = Asker("", program.command, "", held.folder, limits, box=box)
    try:
        asker.start()
        return asker.hello
    finally:
        asker.close()
        held.close()


def stamp(words: Sequence[str]) -> str:
    """What tells a program from another one under the same command: its files, by their bytes."""
    found = hashlib.sha256()
    for word in words:
        path = Path(shutil.which(word) or word) if word == words[0] else Path(word)
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


def name_of(words: Sequence[str], others: Sequence[Program]) -> str:
    """A short name for a command: the name of the program's own file, not of its interpreter."""
    base = file_name(words)
    taken = {program.name for program in others} | {REFERENCE, FAST}
    return base if base not in taken else f"{base}-{len(others)}"
