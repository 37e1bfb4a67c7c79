"""The programs under test in a sweep, and the cases that each program gets."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance.known_failures import KnownFailures
from conformance.process import Limits
from conformance.runner import Worker
from conformance.session import file_name
from conformance.subject import Subject
from walproof.sweep.settings import PROFILES, Setting, reads_any

#: Name of the executable specification, which runs inside each worker.
REFERENCE = "reference"


@dataclass(frozen=True)
class Program:
    """A program under test, with its name in the sweep, its profiles and its version stamp."""

    name: str
    #: Subject without known failures, because the sweep recognises them by their effect.
    subject: Subject
    profiles: tuple[str, ...]
    stamp: str = ""

    def supports(self, format: str, setting: Setting) -> bool:
        """Return whether the program gets cases in this setting.

        A one-shot program cannot receive a context.
        """
        ignores_context = self.subject.one_shot and reads_any(format, setting.context)
        return setting.profile in self.profiles and not ignores_context

    def describe(self) -> dict[str, Any]:
        """Return the identity of the program as JSON."""
        subject = self.subject
        return {
            "name": self.name, "command": [*subject.command], "profiles": [*self.profiles],
            "stamp": self.stamp, "one_shot": subject.one_shot, "isolated": subject.isolated,
        }  # fmt: skip


class NoProgram(ValueError):
    """Raised for a program that cannot be tested with a format."""


def program_of(
    subject: Subject, format: str, limits: Limits, earlier: Sequence[Program] = ()
) -> Program:
    """Start a subject, and return the program that its hello message describes.

    A name that comes from the command differs from the names of the ``earlier`` programs. Raises
    :class:`NoProgram` if the program does not support the format or any profile. Raises the errors
    of a session if there is no hello message.
    """
    with Worker(subject, limits) as worker:
        hello = worker.open_session().hello
    if format not in hello["formats"] and "*" not in hello["formats"]:
        raise NoProgram(f"{subject.name} does not support {format}: {', '.join(hello['formats'])}")
    profiles = tuple(profile for profile in PROFILES if profile in hello["profiles"])
    if not profiles:
        raise NoProgram(f"{subject.name}: no known profile: {', '.join(hello['profiles'])}")
    name, stamp = subject.name, subject.stamp
    if subject.named_by_hello:  # use the file name of the command
        name = file_name(subject.command)
        name += f"-{len(earlier)}" * (name in {REFERENCE, *(other.name for other in earlier)})
    return Program(
        name,
        replace(subject, known=KnownFailures(), stamp=None),
        profiles,
        _digest(subject.command) if stamp is None else stamp(),
    )


def _digest(command: Sequence[str]) -> str:
    """Return a digest of the files named in a command."""
    digest = hashlib.sha256()
    for number, word in enumerate(command):
        path = Path((shutil.which(word) if number == 0 else None) or word)
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
