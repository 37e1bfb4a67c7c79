"""Open every case in every mode of each system."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

from conformance.contents import digest
from conformance.process import Limits, OverLimit, Timeout, run_program
from conformance.sandbox import Sandbox, evidence
from lab.databases.damaged_logs import DatabaseCase, ExpectedItems, databases_of
from lab.databases.judge import OpeningJudgement, expected_items, judge_opening
from lab.databases.opening_result import OpeningResult, parse_output
from lab.databases.systems import DatabaseSystem

TIMEOUT_SECONDS = 60.0
LIMITS = Limits(memory_bytes=4 << 30, file_bytes=1 << 30)
#: A mode of a system, a case that was opened in this mode, and the judgement.
Result = tuple[str, DatabaseCase, OpeningJudgement]


def cases_for(system: DatabaseSystem) -> list[DatabaseCase]:
    """Return the damaged logs that a system opens."""
    return [case for case in cases_of(system.format) if case.variant in ("", *system.variants)]


@cache
def cases_of(format_id: str) -> tuple[DatabaseCase, ...]:
    """Return the damaged logs of a format."""
    databases = databases_of(format_id)
    return tuple(databases.cases()) if databases is not None else ()


def open_with(system: DatabaseSystem, mode: str, case: DatabaseCase) -> OpeningResult:
    """Open a case with a system, which must be built. Raises ``OSError``."""
    databases = databases_of(system.format)
    assert databases is not None, system.name
    scratch = Path(tempfile.mkdtemp(prefix="walproof-databases-"))
    try:
        folder = scratch / "given"
        folder.mkdir()
        given = databases.place(case, folder)
        words = [*system.implementation.command, mode, str(scratch / "folder"), str(given)]
        try:
            # A system that mounts directories cannot run in a sandbox.
            sandbox = Sandbox(scratch, hides=evidence()) if system.is_sandboxed else None
            done = run_program(words, TIMEOUT_SECONDS, sandbox, limits=LIMITS)
        except OverLimit as error:
            return OpeningResult("dies", why=str(error))
        except Timeout:
            return OpeningResult("hangs", why=f"no end within {TIMEOUT_SECONDS:g} s")
        return parse_output(done.stdout, done.stderr, done.returncode, str(scratch))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def open_cases(
    system: DatabaseSystem,
    modes: Iterable[str],
    wanted: Callable[[DatabaseCase], bool] = lambda case: True,
    opening: Callable[[DatabaseSystem, str, DatabaseCase], OpeningResult] = open_with,
) -> Iterator[Result]:
    """Open the cases with a system. In each mode, open the undamaged log of a case first."""
    expected: dict[str, ExpectedItems] = {}
    controls: dict[tuple[str, str, str], OpeningResult] = {}
    for mode in modes:
        for case in cases_for(system):
            if not wanted(case):
                continue
            if case.id not in expected:
                expected[case.id] = expected_items(system.format, case)
            key = mode, digest(case.control), repr(sorted(case.context.items()))
            if key not in controls:
                controls[key] = opening(system, mode, case.undamaged())
            opened = controls[key] if case.log == case.control else opening(system, mode, case)
            messages = controls[key].messages
            yield mode, case, judge_opening(opened, expected[case.id], messages)
