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
from lab.databases.judge import Judgement, compare_with_due, due
from lab.databases.model import Case, Due, databases_of
from lab.databases.opening import Opened, parse_output
from lab.databases.systems import System

TIMEOUT_SECONDS = 60.0
LIMITS = Limits(memory_bytes=4 << 30, file_bytes=1 << 30)
#: A mode, a case, and the judgement.
Result = tuple[str, Case, Judgement]


def cases_for(system: System) -> list[Case]:
    """Return the damaged logs that a system opens."""
    return [case for case in cases_of(system.format) if case.variant in ("", *system.variants)]


@cache
def cases_of(format_id: str) -> tuple[Case, ...]:
    """Return the damaged logs of a format."""
    databases = databases_of(format_id)
    return tuple(databases.cases()) if databases is not None else ()


def open_with(system: System, mode: str, case: Case) -> Opened:
    """Open a case with a system that is built. Raises ``OSError``."""
    databases = databases_of(system.format)
    assert databases is not None, system.name
    scratch = Path(tempfile.mkdtemp(prefix="walproof-databases-"))
    try:
        folder = scratch / "given"
        folder.mkdir()
        given = databases.place(case, folder)
        words = [*system.implementation.command, mode, str(scratch / "folder"), str(given)]
        try:
            # A system that mounts folders of its own cannot run in a sandbox.
            sandbox = Sandbox(scratch, hides=evidence()) if system.is_sandboxed else None
            done = run_program(words, TIMEOUT_SECONDS, sandbox, limits=LIMITS)
        except OverLimit as error:
            return Opened("dies", why=str(error))
        except Timeout:
            return Opened("hangs", why=f"no end within {TIMEOUT_SECONDS:g} s")
        return parse_output(done.stdout, done.stderr, done.returncode, str(scratch))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def open_cases(
    system: System,
    modes: Iterable[str],
    wanted: Callable[[Case], bool] = lambda case: True,
    opening: Callable[[System, str, Case], Opened] = open_with,
) -> Iterator[Result]:
    """Open the cases with a system, beginning with the undamaged log in each mode."""
    dues: dict[str, Due] = {}
    controls: dict[tuple[str, str, str], Opened] = {}
    for mode in modes:
        for case in cases_for(system):
            if not wanted(case):
                continue
            if case.id not in dues:
                dues[case.id] = due(system.format, case)
            key = mode, digest(case.control), repr(sorted(case.context.items()))
            if key not in controls:
                controls[key] = opening(system, mode, case.undamaged())
            opened = controls[key] if case.log == case.control else opening(system, mode, case)
            messages = controls[key].messages
            yield mode, case, compare_with_due(opened, dues[case.id], messages)
