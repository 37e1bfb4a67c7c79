"""Who is asked in a run: an implementation of this repository, any program, or a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from conformance import known_failures
from conformance.baselines import BASELINES, Baseline
from conformance.known_failures import KnownFailures
from conformance.registry import Implementation, Unavailable


@dataclass
class Subject:
    """One implementation under test in one run."""

    name: str
    title: str
    command: Sequence[str]
    known: KnownFailures = field(default_factory=KnownFailures)
    one_shot: bool = False
    formats: Sequence[str] = ()
    """What it reads, as far as that is known before it says hello."""
    unavailable: str | None = None
    baseline: Baseline | None = None
    structure: bool = False
    """A generated parser, which is asked for fields and nothing else."""
    repeat: str = ""
    """How to start one case again; the vector and profile follow."""


def subject_of(implementation: Implementation, program: str) -> Subject:
    """An implementation of this repository as a subject; not built is unavailable."""
    subject = Subject(
        implementation.name,
        implementation.title,
        implementation.command,
        known_failures.load(implementation.known_failures),
        formats=implementation.formats,
        repeat=f"{program} check --impl {implementation.name}",
        structure=implementation.structure,
    )
    if missing := implementation.missing():
        subject.unavailable = f"{' and '.join(missing)} not found"
    elif not implementation.is_built():
        try:
            implementation.make()
        except Unavailable as error:
            subject.unavailable = str(error)
    return subject


def baseline_subjects() -> list[Subject]:
    """The null baselines that stand beside every score."""
    return [Subject(b.name, b.title, (), baseline=b) for b in BASELINES]
