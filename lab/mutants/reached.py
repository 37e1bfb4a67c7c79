"""Which questions run which lines: a mutant need not be asked what never gets to it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from lab.mutants.questions import Question, ask
from lab.mutants.sites import Mutant
from reference_impl.formats import Format

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
        return frozenset().union(*(found for found in lines if found))


def reached(
    format: Format, questions: Sequence[Question], files: frozenset[str], scratch: Path
) -> Reached:
    """Ask the original everything. Raises :class:`WrongOriginal`."""
    by_line: dict[Line, set[int]] = {}
    seconds = []
    for number, question in enumerate(questions):
        started = time.process_time()
        lines: set[Line] = set()
        _empty_caches()
        with _traced(files, lines):
            wrong = ask(question, format, scratch)
        if wrong is not None:
            raise WrongOriginal(f"{question.id}: {wrong}")
        seconds.append(time.process_time() - started)
        for line in lines:
            by_line.setdefault(line, set()).add(number)
    return Reached({line: frozenset(found) for line, found in by_line.items()}, tuple(seconds))


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
