"""The programs under test in a sweep, and the cases that each program gets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    """A program under test, with its name in the sweep and its profiles."""

    name: str
    #: Subject without a list of known failures: the sweep recognises such failures by their effect.
    subject: Subject
    profiles: tuple[str, ...]

    def supports(self, format: str, setting: Setting) -> bool:
        """Return whether the program gets cases in this setting."""
        ignores_context = self.subject.one_shot and reads_any(format, setting.context)
        return setting.profile in self.profiles and not ignores_context


class NoProgram(ValueError):
    """Raised for a program that cannot be tested with a format."""


def program_of(
    subject: Subject, format: str, limits: Limits, earlier: Sequence[Program] = ()
) -> Program:
    """Return the program that the hello message of a subject describes.

    Raises :class:`NoProgram`, and the errors of a session.
    """
    with Worker(subject, limits) as worker:
        hello = worker.open_session().hello
    if format not in hello["formats"] and "*" not in hello["formats"]:
        raise NoProgram(f"{subject.name} does not support {format}: {', '.join(hello['formats'])}")
    profiles = tuple(profile for profile in PROFILES if profile in hello["profiles"])
    if not profiles:
        raise NoProgram(f"{subject.name}: no known profile: {', '.join(hello['profiles'])}")
    name = subject.name
    if subject.named_by_hello:  # use the file name of the command
        name = file_name(subject.command)
        name += f"-{len(earlier)}" * (name in {REFERENCE, *(other.name for other in earlier)})
    return Program(name, replace(subject, known=KnownFailures(), stamp=None), profiles)
