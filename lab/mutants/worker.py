"""Run the vectors on mutants of a format's package, in a separate process.

``python -m lab.mutants.worker FORMAT SCRATCH`` reads one JSON request per line.
"""

from __future__ import annotations

import json
import mmap
import resource
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from lab.mutants.choice import all_mutants, family_of, sources_of
from lab.mutants.loading import codes_of, formats_in, load_modules
from lab.mutants.questions import Question, ask, questions_of
from lab.mutants.reviewed import Reviewed
from lab.mutants.sites import Name
from reference_impl.formats import Format

#: The memory that a mutant may use in addition to what the worker uses.
MEMORY_BYTES = 1 << 30
FILE_BYTES = 1 << 26
#: The interval at which :class:`OutOfTime` is raised again, in case a mutant catches it.
REPEATED_SECONDS = 0.1
DIFFERENCE_CHARACTERS = 300


class OutOfTime(BaseException):
    """The CPU time for a question is used up."""


class MutantWorker:
    """Runs questions on one mutant at a time."""

    def __init__(self, format_id: str, scratch: Path) -> None:
        self.format_id = format_id
        self.scratch = scratch
        self.questions = questions_of(format_id)
        self.mutants = {mutant.name: mutant for mutant in all_mutants(format_id, Reviewed())}
        self.family = family_of(format_id)
        self.codes = {name: code for each in self.family for name, code in codes_of(each).items()}

    def reply(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Run the requested questions on a mutant, and return its fate."""
        mutant = self.mutants[Name(**request["name"])]
        module = next(name for name, path in sources_of(self.format_id).items()
                      if path == mutant.path)  # fmt: skip
        try:
            modules = load_modules({**self.codes, module: mutant.code()})
        except Exception as error:
            return {"killer": None, "how": f"{type(error).__name__}: {error}"}
        formats = formats_in(modules, self.family)
        for number in request["order"]:
            question = self.questions[number]
            difference = self._ask(question, formats[question.format_id], request["seconds"])
            if difference is not None:
                return {"killer": number, "how": difference[:DIFFERENCE_CHARACTERS]}
        return {"killer": None, "how": None}

    def _ask(self, question: Question, format: Format, seconds: float) -> str | None:
        try:
            signal.setitimer(signal.ITIMER_PROF, seconds, REPEATED_SECONDS)
            try:
                return ask(question, format, self.scratch)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
        except OutOfTime:
            return "time-out"


def _limit() -> None:
    def out_of_time(*_: object) -> NoReturn:
        raise OutOfTime

    signal.signal(signal.SIGPROF, out_of_time)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    status = Path("/proc/self/statm")
    if status.exists():
        size = int(status.read_text().split()[0]) * mmap.PAGESIZE + MEMORY_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def main(format_id: str, scratch: Path) -> None:
    """Reply to requests until the input ends."""
    worker = MutantWorker(format_id, scratch)
    _limit()
    for line in sys.stdin:
        print(json.dumps(worker.reply(json.loads(line))), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
