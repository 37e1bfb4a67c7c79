"""The subject of a run: an implementation of this repository, any program, or a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance import known_failures
from conformance.baselines import BASELINES, Baseline
from conformance.known_failures import KnownFailures
from conformance.registry import Implementation, ImplementationUnavailable
from conformance.sandbox import Sandbox, evidence


@dataclass
class CheckedProgram:
    """One implementation under test in one run."""

    name: str
    title: str
    command: Sequence[str]
    known: KnownFailures = field(default_factory=KnownFailures)
    one_shot: bool = False
    # True if the subject is a one-shot program that accepts the argument ``strict``.
    strict: bool = False
    # Formats that the subject reads, as far as they are known before its hello message.
    formats: Sequence[str] = ()
    unavailable: str | None = None
    baseline: Baseline | None = None
    # True if the subject is a generated parser, which lists fields and returns no answer.
    structure: bool = False
    # True if the subject starts in a sandbox. See :meth:`sandbox`.
    isolated: bool = True
    # Directories that the subject may change in addition to its scratch directory.
    writes: Sequence[Path] = ()
    # The command that repeats a case, to which reports append the vector and the profile.
    repeat: str = ""
    # The command that shows the messages of a case, to which reports append the vector and the
    # profile.
    ask: str = ""
    # The file to which reports point if a case fails, such as ``implementation.toml``.
    place: Path | None = None
    # A function that returns a digest of all files that the subject is built and started from. None
    # if these files are unknown.
    stamp: Callable[[], str] | None = None
    # Programs that must be on the PATH, as ``implementation.toml`` lists them.
    needs: Sequence[str] = ()
    # True if reports use the name in the subject's hello instead of ``name``, which is a command.
    named_by_hello: bool = False

    def sandbox(self, folder: Path, *writes: Path) -> Sandbox | None:
        """Return the sandbox of the subject, which may change ``folder`` and ``writes``."""
        if not self.isolated or self.baseline is not None:
            return None
        return Sandbox(folder, hides=evidence(), writes=[*self.writes, *writes])


def checked_implementation(
    implementation: Implementation, program: str, unavailable: str | None = None
) -> CheckedProgram:
    """Return an implementation of this repository as a subject, unavailable if it is not built.

    ``unavailable`` is the reason if an attempt to build it has failed.
    """
    subject = CheckedProgram(
        implementation.name,
        implementation.title,
        implementation.command,
        known_failures.load(implementation.known_failures),
        formats=implementation.formats,
        writes=[implementation.output, *implementation.writes],
        repeat=f"{program} check --impl {implementation.name}",
        ask=f"{program} ask --impl {implementation.name}",
        structure=implementation.structure,
        place=implementation.folder / "implementation.toml",
        stamp=implementation.stamp,
        needs=implementation.needs,
        unavailable=unavailable,
    )
    if unavailable is not None:
        return subject
    if missing := implementation.missing():
        subject.unavailable = f"{' and '.join(missing)} not found"
    elif not implementation.is_built():
        try:
            implementation.make()
        except ImplementationUnavailable as error:
            subject.unavailable = str(error)
    return subject


def checked_baselines() -> list[CheckedProgram]:
    """Return the null baselines, which are part of every run."""
    return [CheckedProgram(b.name, b.title, (), baseline=b) for b in BASELINES]
