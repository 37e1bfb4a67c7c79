"""Open every case in every mode of each system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from conformance.contents import digest
from lab.databases.judge import Judgement, compare_with_due, due
from lab.databases.model import Case, Due, databases_of
from lab.databases.opening import Opened, open_with
from lab.databases.systems import System

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


def open_cases(
    system: System,
    modes: Iterable[str],
    wanted: Callable[[Case], bool] = lambda case: True,
    opening: Callable[[System, str, Case], Opened] = open_with,
) -> Iterator[Result]:
    """Open the cases with a system, beginning with the undamaged log in each mode.

    Raises ``OSError`` if no sandbox can be created.
    """
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
