"""Open every case in every mode of each system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from conformance.contents import digest
from lab.databases.judge import Judgement, compare_with_due, due
from lab.databases.model import Case, Due, databases_of
from lab.databases.opening import Opened, open_with
from lab.databases.systems import System


@dataclass(frozen=True)
class Result:
    """The judgement of one case, opened by one system in one mode."""

    system: System
    mode: str
    case: Case
    judgement: Judgement


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
    controls: dict[tuple[str, str], Opened] = {}
    for mode in modes:
        for case in cases_for(system):
            if not wanted(case):
                continue
            if case.id not in dues:
                dues[case.id] = due(system.format, case)
            key = mode, _control(case)
            if key not in controls:
                controls[key] = opening(system, mode, case.undamaged())
            opened = controls[key] if case.log == case.control else opening(system, mode, case)
            yield Result(
                system, mode, case, compare_with_due(opened, dues[case.id], controls[key].messages)
            )


def _control(case: Case) -> str:
    return f"{digest(case.control)} {sorted(case.context.items())!r}"
