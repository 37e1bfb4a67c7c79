"""The programs of a sweep: subjects of the harness, and the cases that each of them gets."""

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

REFERENCE = "reference"
"""The name of the executable specification, which runs inside a worker beside the programs."""


@dataclass(frozen=True)
class Program:
    """A subject of a sweep: its name there, its profiles, and what makes it another program.

    The subject has no known failures: those of the sweep are recognised by their effect.
    """

    name: str
    subject: Subject
    profiles: tuple[str, ...]
    stamp: str = ""

    def takes(self, format: str, setting: Setting) -> bool:
        """Return whether it gets cases in this setting; a one-shot program cannot get a context."""
        ignores_context = self.subject.one_shot and reads_any(format, setting.context)
        return setting.profile in self.profiles and not ignores_context

    def describe(self) -> dict[str, Any]:
        """Return what identifies it, as JSON."""
        subject = self.subject
        return {
            "name": self.name, "command": [*subject.command], "profiles": [*self.profiles],
            "stamp": self.stamp, "one_shot": subject.one_shot, "isolated": subject.isolated,
        }  # fmt: skip


class NoProgram(ValueError):
    """A program that cannot be tested with a format."""


def program_of(
    subject: Subject, format: str, limits: Limits, others: Sequence[Program] = ()
) -> Program:
    """Return a subject as its hello describes it, named unlike ``others``.

    Raises :class:`NoProgram` if it does not read the format, or has no profile, and what a session
    raises if it sends no hello.
    """
    with Worker(subject, limits) as worker:
        hello = worker.open_session().hello
    if format not in hello["formats"] and "*" not in hello["formats"]:
        raise NoProgram(f"{subject.name} reads {', '.join(hello['formats'])}, and not {format}")
    profiles = tuple(profile for profile in PROFILES if profile in hello["profiles"])
    if not profiles:
        raise NoProgram(f"{subject.name} has no profile: {', '.join(hello['profiles'])}")
    name, stamp = subject.name, subject.stamp
    if subject.named_by_hello:  # a command is no name
        name = file_name(subject.command)
        name += f"-{len(others)}" * (name in {REFERENCE, *(other.name for other in others)})
    return Program(
        name,
        replace(subject, known=KnownFailures(), stamp=None),
        profiles,
        _digest(subject.command) if stamp is None else stamp(),
    )


def _digest(command: Sequence[str]) -> str:
    """Return a digest of the files that a command names."""
    digest = hashlib.sha256()
    for number, word in enumerate(command):
        path = Path((shutil.which(word) if number == 0 else None) or word)
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
