"""Write ``docs/databases.md`` from the stored judgements."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance import templates
from lab.databases.damaged_logs import formats
from lab.databases.judge import OpeningJudgement, expected_items
from lab.databases.open_cases import cases_of
from lab.databases.systems import DatabaseSystem, systems
from reference_impl.paths import PACKAGES, ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "databases.md"
SCENARIOS = PACKAGES / "conformance" / "scenarios" / "scenarios.toml"
#: A cell contains ``✓`` if the outcome is as expected, without stale or unproven items, and ``–``
#: if the case was not run.
AS_EXPECTED, NOT_RUN = "✓", "–"


def page() -> str:
    """Return the text of the page."""
    by_format = {
        format_id: [each for each in systems() if each.format == format_id and each.answers]
        for format_id in formats()
    }
    template = templates.environment(Path(__file__).parent).get_template("databases.md.j2")
    return template.render(
        summary=_without_zeros(
            [
                _summary(each, mode)
                for of_format in by_format.values()
                for each in of_format
                for mode in each.modes
            ]
        ),
        scenarios=scenarios(),
        formats=[_section(id, of_format) for id, of_format in by_format.items() if of_format],
    )


def scenarios() -> Mapping[str, str]:
    """Return the titles of the scenarios by id."""
    return {
        each["id"]: each["title"]
        for each in tomllib.loads(SCENARIOS.read_text("utf-8"))["scenario"]
    }


def _without_zeros(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows without the columns in which every count is zero."""
    heads = [head for head in rows[0] if any(row[head] for row in rows)]
    return [{head: row[head] for head in heads} for row in rows]


def _summary(system: DatabaseSystem, mode: str) -> Mapping[str, str | int]:
    """Count the damaged logs with each outcome, for one mode of a system."""
    judged = [each for id, each in system.answers[mode].items() if id != "none"]
    opened = [each for each in judged if each.end == "opened"]
    is_again_lost = [each.end == "refused-again" or bool(each.forgotten) for each in judged]
    return {
        "Log": f"`{system.format}`",
        "System": system.implementation.title,
        "Mode": f"`{mode}`",
        "as expected": sum(each.is_as_expected for each in judged),
        "lost, reported": sum(bool(each.lost and each.report) for each in opened),
        "lost silently": sum(bool((each.lost or each.gone) and not each.report) for each in opened),
        "invented": sum(bool(each.invented) for each in opened),
        "refuses": sum(each.end == "refused" for each in judged),
        "hangs or dies": sum(each.end in ("hangs", "dies") for each in judged),
        "gone after a restart": sum(is_again_lost),
    }


def _section(format_id: str, of_format: Sequence[DatabaseSystem]) -> Mapping[str, Any]:
    """Return what the page shows about a format: its systems, and a table of damaged logs.

    Modes with the same cells share a column, and logs with the same cells share a row.
    """
    cases = cases_of(format_id)
    modes_of = {each.implementation.title: len(each.modes) for each in of_format}
    columns: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for system in of_format:
        for mode, answers in system.answers.items():
            cells = tuple(_cell(answers.get(case.id)) for case in cases)
            modes = columns.setdefault(cells, {}).setdefault(system.implementation.title, [])
            modes.append(f"`{mode}`")
    rows: dict[tuple[str, ...], list[str]] = {}
    for number, case in enumerate(cases):
        cells = tuple(column[number] for column in columns)
        if set(cells) - {AS_EXPECTED, NOT_RUN}:
            expected = expected_items(format_id, case)
            survivors = len(expected.left & expected.written)
            outcome = f"{survivors}/{len(expected.written)}: {expected.verdict}"
            rows.setdefault((outcome, *cells), []).append(f"`{case.id}`")
    return {
        "title": registers()[format_id].title,
        "systems": [(each, _logs(each), _first_message(each)) for each in of_format],
        "columns": [
            "; ".join(
                title if len(modes) == modes_of[title] else f"{title}: {', '.join(modes)}"
                for title, modes in by_title.items()
            )
            for by_title in columns.values()
        ],
        "rows": [(", ".join(ids), *cells) for cells, ids in rows.items()],
    }


def _cell(judgement: OpeningJudgement | None) -> str:
    if judgement is None:
        return NOT_RUN
    is_plain = judgement.is_as_expected and not (judgement.stale or judgement.unproven)
    return AS_EXPECTED if is_plain else judgement.effect


def _logs(system: DatabaseSystem) -> Mapping[str, str]:
    """For each mode, count the damaged logs in each state in which the system left them."""
    # Logs that a system refused and left unchanged are omitted.
    return {
        mode: ", ".join(
            f"{state} {number}"
            for state, number in sorted(
                Counter(
                    f"{each.log}{' (refused)' * (each.end == 'refused')}"
                    for id, each in answers.items()
                    if id != "none"
                    and each.log is not None
                    and (each.end, each.log) != ("refused", "kept")
                ).items()
            )
        )
        for mode, answers in system.answers.items()
    }


def _first_message(system: DatabaseSystem) -> tuple[str, str] | None:
    return next(
        (
            (each.report.replace("`", "'"), f"`{mode}`, `{id}`")
            for mode, answers in system.answers.items()
            for id, each in answers.items()
            if each.report
        ),
        None,
    )
