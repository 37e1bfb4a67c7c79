"""What a mutant is asked, in this very process: every vector, and every example of recognition.

The judgement is that of ``walproof check``, for an implementation that reports every part of an
answer and every field of the format. It uses the original readers, never the mutant's.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import VECTORS
from conformance.cases import Case, Step, cases_of
from conformance.compare import ANSWER_PARTS
from conformance.recognition import Example, load_examples
from conformance.vectors import load
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import Format
from reference_impl.register import registers


@dataclass(frozen=True)
class Question:
    """One thing to ask. ``requirements`` are those of the vector; an example has none."""

    id: str
    requirements: frozenset[str]

    def difference(self, format: Format, folder: Path) -> str | None:
        """What is wrong with the answer; ``None`` if it is as expected. ``folder`` is empty.

        A reader or writer that raises what it must not raises it here too.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class VectorQuestion(Question):
    """A vector in one profile."""

    case: Case
    steps: Sequence[Step]
    reports: Sequence[str]

    def difference(self, format: Format, folder: Path) -> str | None:
        """The first request whose answer is wrong."""
        for number, step in enumerate(self.steps):
            place = folder / str(number) / self.case.vector.input.name
            place.parent.mkdir()
            step.prepare(place)
            reply = _reply(format, step.request(self.case, place, number), place)
            judgement = step.judge(reply, place, self.reports)
            shutil.rmtree(place.parent, ignore_errors=True)
            if judgement.difference is not None:
                return judgement.difference
        return None


@dataclass(frozen=True)
class ExampleQuestion(Question):
    """Whether a file or folder is taken for the format."""

    example: Example
    is_ours: bool

    def difference(self, format: Format, folder: Path) -> str | None:
        """Yes instead of no, or the other way round."""
        found = format.recognise(self.example.put(folder))
        return None if found is self.is_ours else f"recognised: {found}"


def questions_of(format_id: str) -> list[Question]:
    """Everything that a format's mutants are asked."""
    reports = [*sorted(ANSWER_PARTS - {"signals"}), "at", "size"]
    reports += registers()[format_id].fields
    vectors = [load(path) for path in sorted((VECTORS / format_id).glob("*.json"))]
    asked: list[Question] = [
        VectorQuestion(
            f"{case.vector.id}, {case.profile}",
            frozenset(case.vector.body["requirements"]),
            case,
            tuple(case.steps()),
            reports,
        )
        for case in cases_of(vectors)
    ]
    asked += [
        ExampleQuestion(f"example: {one.title}", frozenset(), one, format_id in one.formats)
        for one in load_examples()
    ]
    return asked


def ask(question: Question, format: Format, scratch: Path) -> str | None:
    """What is wrong with a format's answer, or how its reader or writer fell over.

    What is made for it is in ``scratch``, and gone afterwards.
    """
    with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
        try:
            return question.difference(format, Path(folder))
        except Exception as error:  # a mutant may raise anything, and then it is dead
            return f"{type(error).__name__}: {error}"


def _reply(format: Format, request: Mapping[str, Any], place: Path) -> dict[str, Any]:
    """What the adapter of the executable specification would say."""
    context = request["context"]
    if request["cmd"] == "read":
        return {"answer": collect(format.read(place, request["profile"], context)).to_json()}
    records = [NewRecord(bytes.fromhex(one["payload"]), one) for one in request["records"]]
    operation = format.write if request["cmd"] == "write" else format.append
    try:
        operation(place, records, context)
    except ValueError as error:
        return {"refused": str(error)}
    return {"done": True}
