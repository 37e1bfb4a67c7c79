"""Test a reader written in Python, with vectors or with logs drawn by Hypothesis."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance import VECTORS
from conformance.compare import differences, every_part, normalise
from conformance.contents import Contents, write_contents
from conformance.damage.operations import BadOperation
from conformance.damage.text import render
from conformance.vector_cases import ReadStep, VectorCase
from conformance.vectors import load
from reference_impl.answer import Answer
from reference_impl.formats import named
from walproof.log import Log, Profile
from walproof.sweep.controls import Control
from walproof.sweep.enumeration import Enumeration, LogDamage
from walproof.sweep.histories import generate

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Json = Mapping[str, Any]
#: Number of different undamaged logs that a strategy can draw.
GENERATED_LOGS = 100


@dataclass(frozen=True, repr=False)
class Example:
    """A log, and the answer that a reader must return."""

    #: The id of a vector (``FORMAT/SLUG``), or the control and the damage of a generated log.
    id: str
    format: str
    #: The bytes of the log. If it consists of several files, the bytes of each file by its name.
    log: Contents
    #: The file name of the log. Readers of some formats depend on it.
    name: str
    profile: Profile
    context: Json
    expected: Json
    #: Other valid answers, if the chapter allows several.
    allowed: Sequence[Json] = ()

    def __repr__(self) -> str:
        return self.id

    def write_to(self, directory: Path) -> Path:
        """Write the log to a directory under its name. Return its path."""
        write_contents(self.log, path := directory / self.name)
        return path

    def differences(self, answer: Answer | Json, reports: Sequence[str] | None = None) -> list[str]:
        """Return the differences from the expected answer, one sentence for each part that differs.

        ``reports`` lists the parts to compare: ``records``, ``verdict``, ``reason``, ``lost``,
        ``end``, and names of record fields. By default, all parts are compared.
        """
        actual = normalise(answer.to_json() if isinstance(answer, Answer) else answer)
        parts = every_part([self.format]) if reports is None else reports
        if any(not differences(a, actual, parts) for a in self.allowed):
            return []
        return list(map(str, differences(self.expected, actual, parts)))

    def check(self, answer: Answer | Json, reports: Sequence[str] | None = None) -> None:
        """Raise ``AssertionError`` with the differences from the expected answer, if any."""
        result = self.differences(answer, reports)
        assert not result, "\n".join([f"{self.id} ({self.profile})", *result])


@dataclass(frozen=True)
class Failure:
    """An example for which a reader returns a wrong answer or raises an exception."""

    example: Example
    differences: Sequence[str]

    def __str__(self) -> str:
        return f"{self.example.id}: {'; '.join(self.differences)}"


def vectors(format: str, profile: Profile = "recover") -> list[Example]:
    """Return the vectors of a format that a reader must pass, in the order of their ids."""
    return list(_vectors(named(format).id, profile))


def _vectors(format: str, profile: Profile) -> Iterator[Example]:
    for vector in map(load, sorted((VECTORS / format).glob("*.json"))):
        if vector.operation not in ("read", "truncations"):
            continue
        for step in VectorCase(vector, profile).steps():
            assert isinstance(step, ReadStep)
            label = (step.label or "").removesuffix(": ").replace(" ", "-")
            yield Example(
                "/".join(filter(None, (vector.id, label))), format, step.contents,
                vector.neutral_name, profile, vector.body.get("context", {}), step.expect,
                step.accept,
            )  # fmt: skip


def check(
    read: Callable[..., Answer | Json],
    format: str,
    profile: Profile = "recover",
    *,
    by_path: bool = False,
    reports: Sequence[str] | None = None,
) -> list[Failure]:
    """Return the vectors of a format that a reader fails.

    The list is empty if the reader passes all vectors. ``read(log, **context)`` gets the bytes of a
    log, or a dictionary for a log of several files. With ``by_path``, it gets the path of a scratch
    copy, for formats in which file names matter. It returns an answer, as an object or in the form
    of JSON. For ``reports``, see :meth:`Example.differences`.
    """
    failures = []
    for example in vectors(format, profile):
        with tempfile.TemporaryDirectory(prefix="walproof-") as scratch:
            log = example.write_to(Path(scratch)) if by_path else example.log
            try:
                result = example.differences(read(log, **example.context), reports)
            except Exception as error:  # The reader under test may raise any exception.
                result = [f"raises {type(error).__name__}: {error}"]
        if result:
            failures.append(Failure(example, result))
    return failures


def logs(format: str, profile: Profile = "recover") -> SearchStrategy[Example]:
    """Return a Hypothesis strategy for undamaged logs with their answers.

    Logs are generated as in ``walproof sweep --generated``. Needs ``hypothesis``.
    """
    from hypothesis import strategies

    numbers = strategies.integers(0, GENERATED_LOGS - 1)
    return numbers.map(lambda number: _answered(_control(format, number), profile))


def damaged_logs(format: str, profile: Profile = "recover") -> SearchStrategy[Example]:
    """Return a Hypothesis strategy for damaged logs with their answers.

    Each log is a generated log, damaged by one or two operations of ``walproof sweep``. Needs
    ``hypothesis``.
    """
    from hypothesis import reject, strategies

    @strategies.composite
    def damaged(draw: strategies.DrawFn) -> Example:
        enumeration = _enumeration(format, draw(strategies.integers(0, GENERATED_LOGS - 1)))
        # Omit two families: the first one contains the undamaged log, and the last one repeats all
        # single changes.
        changes = draw(strategies.sampled_from(enumeration.families[1:-1])).changes
        change = changes[draw(strategies.integers(0, len(changes) - 1))]
        example = None if change is None else _damaged(enumeration, change, profile)
        return reject() if example is None else example

    return damaged()


@cache
def _control(format: str, number: int) -> Control:
    with tempfile.TemporaryDirectory(prefix="walproof-") as scratch:
        return generate(named(format).id, 0, number, Path(scratch))


@cache
def _enumeration(format: str, number: int) -> Enumeration:
    control = _control(format, number)
    return Enumeration(control, control.earlier[:1], seed=0)


def _damaged(enumeration: Enumeration, change: LogDamage, profile: Profile) -> Example | None:
    try:
        contents = enumeration.contents(change)
    except BadOperation:
        return None
    words = "; ".join(map(render, change.operations))
    return _answered(enumeration.control, profile, contents, words)


def _answered(
    control: Control, profile: Profile, contents: Contents | None = None, damage: str = ""
) -> Example:
    contents = control.contents if contents is None else contents
    with tempfile.TemporaryDirectory(prefix="walproof-") as scratch:
        write_contents(contents, path := Path(scratch, control.name))
        answer = Log(control.format, path, profile=profile, context=control.context).answer()
    id = ": ".join(filter(None, (control.id, damage)))
    name, context = control.name, control.context
    return Example(id, control.format, contents, name, profile, context, answer.to_json())
