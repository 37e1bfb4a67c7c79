"""Who is asked in a run: an implementation of this repository, any program, or a baseline."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance import known_failures
from conformance.baselines import BASELINES, Baseline
from conformance.cases import DEFAULT_WALL_MS
from conformance.compare import differences, normalise
from conformance.contents import write_contents
from conformance.isolation import Box, evidence
from conformance.known_failures import KnownFailures
from conformance.protocol.child import Crash, OverLimit, Timeout
from conformance.protocol.messages import ProtocolError
from conformance.protocol.oneshot import OneShot
from conformance.registry import Implementation, Unavailable
from conformance.scratch import Scratch
from conformance.vectors import Vector


@dataclass
class Subject:
    """One implementation under test in one run."""

    name: str
    title: str
    command: Sequence[str]
    known: KnownFailures = field(default_factory=KnownFailures)
    one_shot: bool = False
    strict: bool = False
    """Whether a one-shot program takes the profile ``strict``: see :func:`takes_strict`."""
    formats: Sequence[str] = ()
    """What it reads, as far as that is known before it says hello."""
    unavailable: str | None = None
    baseline: Baseline | None = None
    structure: bool = False
    """A generated parser, which is asked for fields and nothing else."""
    isolated: bool = True
    """Whether it is started in a box; see :meth:`box`."""
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

    def box(self, folder: Path, *writes: Path) -> Box | None:
        """The box around its processes, which may change its folder and ``writes``; or none."""
        if not self.isolated or self.baseline is not None:
            return None
        return Box(folder, hides=evidence(), writes=[*self.writes, *writes])


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


PROBES = 3
"""Vectors of a format with which a one-shot program is asked for its profiles."""


def takes_strict(subject: Subject, vectors: Iterable[Vector]) -> bool:
    """Whether a one-shot program knows the profile ``strict``.

    It does if ``strict`` as a last word makes it return fewer records of a log where fewer are
    owed. One that does not know the word ignores it, or fails.
    """
    telling: dict[str, list[Vector]] = {}
    for vector in sorted(vectors, key=lambda one: int(one.body["size"])):
        body = vector.body
        if vector.operation == "read" and not body.get("context"):
            owed = [len(body[key]["records"]) for key in ("expect", "expect_strict")]
            if owed[1] < owed[0]:
                telling.setdefault(body["format"], []).append(vector)
    return any(
        asyncio.run(_fewer_in_strict(subject, vector))
        for chosen in telling.values()
        for vector in chosen[:PROBES]
    )


def formats_read(subject: Subject, vectors: Iterable[Vector]) -> dict[str, bool | str]:
    """Whether a one-shot program reads the smallest undamaged log of each format.

    Where it gave no answer at all, how it died.
    """
    smallest: dict[str, Vector] = {}
    for vector in sorted(vectors, key=lambda one: (int(one.body["size"]), one.id)):
        body = vector.body
        valid = (vector.operation, body["kind"]) == ("read", "valid")
        if valid and body["expect"]["records"] and not body.get("context"):
            smallest.setdefault(body["format"], vector)
    found: dict[str, bool | str] = {}
    for format, vector in sorted(smallest.items()):
        try:
            found[format] = asyncio.run(_reads(subject, vector))
        except (Crash, Timeout, OverLimit) as error:
            found[format] = str(error)
    return found


async def _reads(subject: Subject, vector: Vector) -> bool:
    """Whether a one-shot program returns the records of a log."""
    scratch = Scratch()
    box = subject.box(scratch.folder)
    try:
        place = scratch.place(vector.neutral_name)
        write_contents(vector.contents, place)
        told = {"seq": 0, "format": vector.body["format"], "path": str(place)}
        reply = await OneShot(subject.command, Path.cwd(), box=box).ask(told, DEFAULT_WALL_MS)
    except ProtocolError:
        return False
    finally:
        if box is not None:
            box.close()
        scratch.close()
    if "answer" not in reply:
        return False
    return not differences(vector.body["expect"], normalise(reply["answer"]), ["records"])


async def _fewer_in_strict(subject: Subject, vector: Vector) -> bool:
    scratch = Scratch()
    box = subject.box(scratch.folder)
    program = OneShot(subject.command, Path.cwd(), box=box)
    request = {"seq": 0, "format": vector.body["format"]}
    found = []
    try:
        for profile in ("recover", "strict"):
            place = scratch.place(vector.neutral_name)
            write_contents(vector.contents, place)
            told = {**request, "path": str(place), "profile": profile}
            reply = await program.ask(told, DEFAULT_WALL_MS)
            found.append(len(reply["answer"]["records"]) if "answer" in reply else 0)
    except (Crash, Timeout, OverLimit, ProtocolError):
        return False
    finally:
        if box is not None:
            box.close()
        scratch.close()
    return found[1] < found[0]


def baseline_subjects() -> list[Subject]:
    """The null baselines that stand beside every score."""
    return [Subject(b.name, b.title, (), baseline=b) for b in BASELINES]
