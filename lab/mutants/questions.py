"""The questions that a mutant must answer: every vector, and every example of recognition.

The answers are judged as by ``walproof check``, for an implementation that reports every part of an
answer and every field of the format. The judge uses the original readers, never the mutant.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from conformance import VECTORS
from conformance.cases import Case, Step, cases_of
from conformance.compare import ANSWER_PARTS
from conformance.recognition import Example, load_examples
from conformance.vectors import load
from lab.mutants.choice import family_of
from lab.mutants.sites import Mutant
from reference_impl.answer import NewRecord, collect
from reference_impl.formats import Format, named
from reference_impl.register import registers


@dataclass(frozen=True)
class Question:
    """One thing to ask of a reader or writer of ``format_id``.

    ``requirements`` are those of the vector; an example has none.
    """

    id: str
    format_id: str
    requirements: frozenset[str]

    def difference(self, format: Format, folder: Path) -> str | None:
        """Return the fault in the answer, or ``None``.

        ``folder`` must be empty. Unexpected exceptions of a reader or writer are not caught.
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
            path = folder / str(number) / self.case.vector.input.name
            path.parent.mkdir()
            step.prepare(path)
            reply = _reply(format, step.request(self.case, path, number), path)
            judgement = step.judge(reply, path, self.reports)
            shutil.rmtree(path.parent, ignore_errors=True)
            if judgement.difference is not None:
                return judgement.difference
        return None


@dataclass(frozen=True)
class ExampleQuestion(Question):
    """Return whether a file or directory is recognised as the format."""

    example: Example
    is_ours: bool

    def difference(self, format: Format, folder: Path) -> str | None:
        """Yes instead of no, or the other way round."""
        result = format.recognise(self.example.put(folder))
        return None if result is self.is_ours else f"recognised: {result}"


def questions_of(format_id: str) -> list[Question]:
    """Return the questions for a format's mutants: its own, then those of its family."""
    return [question for each in family_of(format_id) for question in _own_questions(each)]


def _own_questions(format_id: str) -> list[Question]:
    reports = [*sorted(ANSWER_PARTS - {"signals"}), "at", "size"]
    reports += registers()[format_id].fields
    vectors = [load(path) for path in sorted((VECTORS / format_id).glob("*.json"))]
    questions: list[Question] = [
        VectorQuestion(
            f"{case.vector.id}, {case.profile}",
            format_id,
            frozenset(case.vector.body["requirements"]),
            case,
            tuple(case.steps()),
            reports,
        )
        for case in cases_of(vectors)
    ]
    questions += [
        ExampleQuestion(
            f"example: {each.title}", format_id, frozenset(), each, format_id in each.formats
        )
        for each in load_examples()
    ]
    return questions


def ask(question: Question, format: Format, scratch: Path) -> str | None:
    """Return the fault in a format's answer, the error of its reader or writer, or None.

    Scratch files are written to ``scratch`` and removed afterwards.
    """
    with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
        try:
            return question.difference(format, Path(folder))
        except Exception as error:  # a mutant may raise anything, and then it is dead
            return f"{type(error).__name__}: {error}"


def _reply(format: Format, request: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return the answer of the executable specification's adapter."""
    context = request["context"]
    if request["cmd"] == "read":
        return {"answer": collect(format.read(path, request["profile"], context)).to_json()}
    records = [NewRecord(bytes.fromhex(each["payload"]), each) for each in request["records"]]
    operation = format.write if request["cmd"] == "write" else format.append
    try:
        operation(path, records, context)
    except ValueError as error:
        return {"refused": str(error)}
    return {"done": True}


Line = tuple[str, int]
"""A file and a line."""


class WrongOriginal(Exception):
    """The executable specification itself does not give an expected answer."""


@dataclass(frozen=True)
class Reached:
    """Numbers of the questions that run a line, and what each question costs in seconds."""

    by_line: dict[Line, frozenset[int]]
    seconds: tuple[float, ...]

    def questions(self, mutant: Mutant) -> frozenset[int]:
        """The questions that can tell a mutant from the original."""
        if mutant.at_import:
            return frozenset(range(len(self.seconds)))
        lines = [self.by_line.get((str(mutant.path), line)) for line in mutant.lines]
        return frozenset().union(*(result for result in lines if result))


def reached(questions: Sequence[Question], files: frozenset[str], scratch: Path) -> Reached:
    """Ask the original everything. Raises :class:`WrongOriginal`."""
    by_line: dict[Line, set[int]] = {}
    seconds = []
    for number, question in enumerate(questions):
        started = time.process_time()
        lines: set[Line] = set()
        _empty_caches()
        with _traced(files, lines):
            wrong = ask(question, named(question.format_id), scratch)
        if wrong is not None:
            raise WrongOriginal(f"{question.id}: {wrong}")
        seconds.append(time.process_time() - started)
        for line in lines:
            by_line.setdefault(line, set()).add(number)
    return Reached({line: frozenset(result) for line, result in by_line.items()}, tuple(seconds))


def _empty_caches() -> None:
    """Forget what earlier questions computed: each runs all that it would run alone."""
    for name, module in list(sys.modules.items()):
        if name.startswith("reference_impl."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@contextmanager
def _traced(files: frozenset[str], lines: set[Line]) -> Iterator[None]:
    """Notes each line of these files that runs meanwhile."""

    def of_frame(frame: FrameType, event: str, argument: Any) -> Any:
        name = frame.f_code.co_filename
        if name not in files:
            return None
        frame.f_trace_lines = True

        def of_line(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                lines.add((name, frame.f_lineno))
            return of_line

        return of_line

    before = sys.gettrace()
    sys.settrace(of_frame)
    try:
        yield
    finally:
        sys.settrace(before)
