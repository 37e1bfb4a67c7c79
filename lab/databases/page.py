"""Write ``docs/databases.md`` from the stored judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conformance import templates
from lab.databases.judge import Judgement, due
from lab.databases.model import Case, formats
from lab.databases.opening import shape
from lab.databases.run import cases_for
from lab.databases.systems import Answers, System, systems
from lab.scenarios.book import scenarios
from reference_impl.paths import ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "databases.md"
MAX_SHOWN_MESSAGES = 3
#: A cell with the expected outcome, without stale or unproven items.
AS_EXPECTED = "✓"


def page() -> str:
    """Return the text of the page."""
    answered = [each for each in systems() if each.answers]
    by_format = {
        format_id: [each for each in answered if each.format == format_id]
        for format_id in formats()
    }
    template = templates.environment(Path(__file__).parent).get_template("databases.md.j2")
    return template.render(
        summary=_without_zeros([row for each in answered for row in _summary(each)]),
        formats=[
            {"title": registers()[format_id].title, "systems": _sections(of_format)}
            for format_id, of_format in by_format.items()
            if of_format
        ],
    )


def _summary(system: System) -> Iterator[dict[str, str | int]]:
    """Yield a row for each group of modes with the same numbers of outcomes."""
    modes: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for mode, answers in system.answers.items():
        judged = [each for id, each in answers.items() if id != "none"]
        opened = [each for each in judged if each.end == "opened"]
        numbers = {
            "as expected": sum(each.is_as_expected for each in judged),
            "lost, reported": sum(bool(each.lost and each.report) for each in opened),
            "lost silently": sum(
                bool((each.lost or each.gone) and not each.report) for each in opened
            ),
            "invented": sum(bool(each.invented) for each in opened),
            "refuses": sum(each.end == "refused" for each in judged),
            "hangs or dies": sum(each.end in ("hangs", "dies") for each in judged),
            "gone after a restart": sum(
                each.end == "refused-again" or bool(each.forgotten) for each in judged
            ),
        }
        modes.setdefault(tuple(numbers.items()), []).append(f"`{mode}`")
    for counted, names in modes.items():
        yield {
            "Log": f"`{system.format}`",
            "System": system.implementation.title,
            "Mode": ", ".join(names),
            **dict(counted),
        }


def _without_zeros(rows: Sequence[Mapping[str, str | int]]) -> list[Mapping[str, str | int]]:
    """Return the rows without the columns in which every number is 0."""
    columns = [name for name in rows[0] if any(row[name] != 0 for row in rows)]
    return [{name: row[name] for name in columns} for row in rows]


def _sections(of_format: Sequence[System]) -> list[Mapping[str, Any]]:
    """Return a section for each system; only the last one of equal results has the table."""
    sections = [_section(each) for each in of_format]
    last_with = {str(each["rows"]): each["title"] for each in sections}
    return [{**each, "same_as": last_with[str(each["rows"])]} for each in sections]


def _section(system: System) -> Mapping[str, Any]:
    columns: dict[tuple[str, ...], list[str]] = {}
    rows = [_row(system, case) for case in cases_for(system)]
    for number, mode in enumerate(system.modes):
        columns.setdefault(tuple(row.cells[number] for row in rows), []).append(mode)
    return {
        "title": system.implementation.title,
        "modes": {mode: (what, _logs(system.answers[mode])) for mode, what in system.modes.items()},
        "note": system.note,
        "columns": [", ".join(modes) for modes in columns.values()],
        "rows": list(_joined(rows, list(columns))),
        "messages": list(_first_messages(system.answers))[:MAX_SHOWN_MESSAGES],
    }


class _Row(NamedTuple):
    """A damaged log, its expected outcome, and the outcome in each mode."""

    title: str
    #: Difference between logs with the same title. It may be empty.
    which: str
    expected: str
    cells: Sequence[str]


def _row(system: System, case: Case) -> _Row:
    expected, known = due(system.format, case), scenarios()
    survivors = len(expected.left & expected.written)
    return _Row(
        known[case.scenario].title if case.scenario in known else "No damage",
        case.id.partition("/")[2].replace("-", " "),
        f"{survivors} of {len(expected.written)}: {expected.verdict}",
        [_cell(system.answers[mode][case.id]) for mode in system.modes],
    )


def _cell(judgement: Judgement) -> str:
    is_plain = judgement.is_as_expected and not (judgement.stale or judgement.unproven)
    return AS_EXPECTED if is_plain else judgement.effect


def _joined(rows: Sequence[_Row], columns: Sequence[Sequence[str]]) -> Iterator[Mapping[str, Any]]:
    """Yield one row for all damage with equal outcomes; count damage that is all as expected."""
    joined: dict[tuple[str, tuple[str, ...]], dict[str, list[str]]] = {}
    others = 0
    for number, row in enumerate(rows):
        cells = tuple(column[number] for column in columns)
        if set(cells) == {AS_EXPECTED}:
            others += 1
            continue
        titles = joined.setdefault((row.expected, cells), {})
        titles.setdefault(row.title, []).append(row.which)
    for (expected, cells), titles in joined.items():
        damage = "; ".join(_title(title, which) for title, which in titles.items())
        yield {"damage": damage, "expected": expected, "cells": cells}
    if others:
        yield {
            "damage": f"No damage, and other damage ({others - 1})",
            "expected": "",
            "cells": (AS_EXPECTED,) * len(columns),
        }


def _title(title: str, which: Sequence[str]) -> str:
    """Return a title with the logs that it stands for, such as ``One bit flips (also: salt)``."""
    named = ", ".join(filter(None, which))
    if not named:
        return title
    return f"{title} ({'' if all(which) else 'also: '}{named})"


def _logs(answers: Mapping[str, Judgement]) -> str:
    """Return the states of the damaged logs in one mode, with the number of each state."""
    outcomes = Counter(
        (each.end == "refused", each.log)
        for id, each in answers.items()
        if id != "none" and each.log is not None
    )
    return ", ".join(
        f"{log}{' (refused)' * is_refused} {number}"
        for (is_refused, log), number in sorted(outcomes.items())
    )


def _first_messages(answers: Answers) -> Iterator[tuple[str, str]]:
    """Yield the first message of each shape, with its mode and case."""
    seen = set()
    for mode, of_mode in answers.items():
        for id, each in of_mode.items():
            if each.report and shape(each.report) not in seen:
                seen.add(shape(each.report))
                yield each.report.replace("`", "'"), f"{mode}, {id}"
