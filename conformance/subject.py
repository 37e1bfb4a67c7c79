"""What is tested in a run: an implementation of this repository, any program, or a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance import known_failures
from conformance.baselines import BASELINES, Baseline
from conformance.known_failures import KnownFailures
from conformance.registry import Implementation, Unavailable
from conformance.sandbox import Sandbox, evidence


@dataclass
class Subject:
    """One implementation under test in one run."""

    name: str
    title: str
    command: Sequence[str]
    known: KnownFailures = field(default_factory=KnownFailures)
    one_shot: bool = False
    strict: bool = False
    """Whether a one-shot program takes the profile ``strict``: :mod:`conformance.one_shot`."""
    formats: Sequence[str] = ()
    """What it reads, as far as that is known before it says hello."""
    unavailable: str | None = None
    baseline: Baseline | None = None
    structure: bool = False
    """A generated parser, which is asked for fields and nothing else."""
    isolated: bool = True
    """Whether it is started in a sandbox; see :meth:`sandbox`."""
    writes: Sequence[Path] = ()
    """Folders that it may change besides its scratch folder."""
    repeat: str = ""
    """How to start one case again; the vector and profile follow."""
    ask: str = ""
    """How to see the messages of one case, likewise."""
    place: Path | None = None
    """The file that somebody opens who is told of a failure."""
    stamp: Callable[[], str] | None = None
    """Makes a digest of what it is built and started from, if that is known."""
    needs: Sequence[str] = ()
    """Programs on the PATH that run it, as its ``implementation.toml`` lists them."""
    named_by_hello: bool = False
    """Whether reports call it what it calls itself, and not ``name``: a command is no name."""

    def sandbox(self, folder: Path, *writes: Path) -> Sandbox | None:
        """Return the sandbox of its processes, which may change its folder and ``writes``."""
        if not self.isolated or self.baseline is not None:
            return None
        return Sandbox(folder, hides=evidence(), writes=[*self.writes, *writes])


def subject_of(implementation: Implementation, program: str) -> Subject:
    """An implementation of this repository as a subject; not built is unavailable."""
    subject = Subject(
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
