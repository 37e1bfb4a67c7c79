"""The questions that mutants must answer: all vectors and all examples of recognition."""

from __future__ import annotations

import functools
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import VECTORS
from conformance.compare import ANSWER_PARTS
from conformance.recognition import Example, load_examples
from conformance.vector_cases import Step, VectorCase, cases_of
from conformance.vectors import load, requirements_deciding
from lab.mutants.choice import family_of
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.formats import Format
from reference_impl.register import registers


@dataclass(frozen=True)
class Question:
    """A vector in one profile, or an example of recognition, for the format ``format_id``."""

    id: str
    format_id: str
    #: Function that describes how a format's answer differs from the expected one, or returns None.
    #: The folder must be empty. Unexpected exceptions of a reader or writer propagate.
    difference: Callable[[Format, Path], str | None]


def questions_of(format_id: str) -> list[Question]:
    """Return the questions for a format's mutants: its own questions, then those of its family."""
    return [question for each in family_of(format_id) for question in _own_questions(each)]


def _own_questions(format_id: str) -> Iterator[Question]:
    reports = [*sorted(ANSWER_PARTS - {"signals"}), "at", "size", *registers()[format_id].fields]
    vectors = [load(path) for path in sorted((VECTORS / format_id).glob("*.json"))]
    for case in cases_of(vectors):
        name = f"{case.vector.id}, {case.profile}"
        difference = functools.partial(_case_difference, case, tuple(case.steps()), reports)
        yield Question(name, format_id, difference)
    for each in load_examples():
        difference = functools.partial(_example_difference, each, format_id in each.formats)
        yield Question(f"example: {each.title}", format_id, difference)


def _case_difference(
    case: VectorCase, steps: Sequence[Step], reports: Sequence[str], format: Format, folder: Path
) -> str | None:
    for number, step in enumerate(steps):
        path = folder / str(number) / case.vector.input.name
        path.parent.mkdir()
        step.prepare(path)
        request = step.request(case, path, number)
        answer = None
        if request["cmd"] == "read":
            answer = collect(format.read(path, request["profile"], request["context"]))
        reply = {"answer": answer.to_json()} if answer else _written(format, request, path)
        judgement = step.judge(reply, path, reports)
        shutil.rmtree(path.parent, ignore_errors=True)
        if judgement.difference is not None:
            return judgement.difference
        if answer and len(steps) == 1 and (difference := _decided_otherwise(case, answer)):
            return difference
    return None


def _decided_otherwise(case: VectorCase, answer: Answer) -> str | None:
    """Return how the requirements that decide an answer differ from the vector's, or None."""
    expected = requirements_deciding(case.vector.body, case.profile)
    found = registers()[case.vector.body["format"]].requirements_of(answer)
    is_other = any(found[part] != expected.get(part, found[part]) for part in ("reason", "lost"))
    return f"decided by {found}, expected {expected}" if is_other else None


def _example_difference(
    example: Example, is_ours: bool, format: Format, folder: Path
) -> str | None:
    result = format.recognise(example.put(folder))
    return None if result is is_ours else f"recognised: {result}"


def ask(question: Question, format: Format, scratch: Path) -> str | None:
    """Return the difference in a format's answer, the error of its reader or writer, or None."""
    with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
        try:
            return question.difference(format, Path(folder))
        except Exception as error:  # any exception kills the mutant
            return f"{type(error).__name__}: {error}"


def _written(format: Format, request: Mapping[str, Any], path: Path) -> dict[str, Any]:
    context = request["context"]
    records = [NewRecord(bytes.fromhex(each["payload"]), each) for each in request["records"]]
    operation = format.write if request["cmd"] == "write" else format.append
    try:
        operation(path, records, context)
    except ValueError as error:
        return {"refused": str(error)}
    return {"done": True}
