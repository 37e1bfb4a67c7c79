"""Write ``docs/databases.md`` from the stored judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from conformance import templates
from lab.databases.judge import Judgement, due
from lab.databases.model import Case, formats
from lab.databases.run import cases_for
from lab.databases.systems import Answers, System, systems
from reference_impl.paths import ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "databases.md"
#: A system gets no table of its own if its results differ from those of another system in at most
#: this number of cases.
MAX_EXCEPTIONS = 1
#: A cell with the expected outcome, without stale or unproven items.
AS_EXPECTED = "✓"


def page() -> str:
    """Return the text of the page."""
    answered = [each for each in systems() if each.answers]
    by_format = {
        format_id: [each for each in answered if each.format == format_id]
        for format_id in formats()
    }
    described: list[System] = []
    shown = []
    for format_id, of_format in by_format.items():
        if of_format:
            sections = _sections(of_format, described)
            shown.append({"title": registers()[format_id].title, "systems": sections})
    template = templates.environment(Path(__file__).parent).get_template("databases.md.j2")
    return template.render(summary=_summary(answered), formats=shown)


def _summary(answered: Sequence[System]) -> list[Mapping[str, str | int]]:
    """Return the rows of the summary. Modes and systems with the same counts share a row."""
    titles: dict[tuple[str, str, tuple[tuple[str, int], ...], str], list[str]] = {}
    for system in answered:
        modes: dict[tuple[tuple[str, int], ...], list[str]] = {}
        for mode, answers in system.answers.items():
            modes.setdefault(_numbers(answers), []).append(f"`{mode}`")
        for numbers, names in modes.items():
            which, alone = (", ".join(names), system.name) if len(modes) > 1 else ("all", "")
            title = system.implementation.title
            titles.setdefault((system.format, which, numbers, alone), []).append(title)
    counted = {name for _, _, numbers, _ in titles for name, number in numbers if number}
    rows: list[Mapping[str, str | int]] = []
    previous = ("", "")
    for (format_id, which, numbers, _), names in titles.items():
        log, system_names = f"`{format_id}`", "; ".join(names)
        rows.append(
            {
                "Log": log if log != previous[0] else "",
                "System": system_names if (log, system_names) != previous else "",
                "Mode": which,
                **{name: number for name, number in numbers if name in counted},
            }
        )
        previous = log, system_names
    return rows


def _numbers(answers: Mapping[str, Judgement]) -> tuple[tuple[str, int], ...]:
    judged = [each for id, each in answers.items() if id != "none"]
    opened = [each for each in judged if each.end == "opened"]
    return (
        ("as expected", sum(each.is_as_expected for each in judged)),
        ("lost, reported", sum(bool(each.lost and each.report) for each in opened)),
        (
            "lost silently",
            sum(bool((each.lost or each.gone) and not each.report) for each in opened),
        ),
        ("invented", sum(bool(each.invented) for each in opened)),
        ("refuses", sum(each.end == "refused" for each in judged)),
        ("hangs or dies", sum(each.end in ("hangs", "dies") for each in judged)),
        (
            "gone after a restart",
            sum(each.end == "refused-again" or bool(each.forgotten) for each in judged),
        ),
    )


class _Row(NamedTuple):
    """A damaged log, its expected outcome, and the outcome in each mode."""

    id: str
    expected: str
    cells: Sequence[str]


class _Section(NamedTuple):
    system: System
    rows: Sequence[_Row]
    #: The modes that share a column, by the cells of the column.
    columns: Mapping[tuple[str, ...], str]


def _sections(of_format: Sequence[System], described: list[System]) -> list[Mapping[str, Any]]:
    """Return a section for each system, with a table or a reference to another table.

    ``described`` lists the systems whose modes the page already describes. The function adds its
    systems to this list.
    """
    sections = [_section(each) for each in of_format]
    # A reference names the system with the most modes; of several such systems, the last.
    with_table: list[_Section] = []
    references: dict[str, str] = {}
    for each in sorted(reversed(sections), key=lambda each: -len(each.system.modes)):
        found = next(filter(None, (_reference(each, other) for other in with_table)), None)
        if found is None:
            with_table.append(each)
        else:
            references[each.system.name] = found
    shown = [
        _shown(
            each,
            references.get(each.system.name),
            [*described, *(other.system for other in with_table if other is not each)],
        )
        for each in sections
    ]
    described += of_format
    return shown


def _section(system: System) -> _Section:
    rows = [_row(system, case) for case in cases_for(system)]
    columns: dict[tuple[str, ...], list[str]] = {}
    for number, mode in enumerate(system.modes):
        columns.setdefault(tuple(row.cells[number] for row in rows), []).append(mode)
    return _Section(system, rows, {cells: ", ".join(modes) for cells, modes in columns.items()})


def _reference(section: _Section, other: _Section) -> str | None:
    """Return a reference to a column of ``other`` with nearly the same results as a section."""
    ids = [row.id for row in section.rows]
    if len(section.columns) > 1 or ids != [row.id for row in other.rows]:
        return None
    (mine,) = section.columns
    for cells, modes in other.columns.items():
        differ = [(id, cell) for id, cell, its in zip(ids, mine, cells, strict=True) if cell != its]
        if len(differ) <= MAX_EXCEPTIONS:
            title = other.system.implementation.title
            words = title if len(other.columns) == 1 else f"{title}, `{modes}`"
            return words + "".join(f", except `{id}`: {cell}" for id, cell in differ)
    return None


def _shown(
    section: _Section, same_as: str | None, described: Sequence[System]
) -> Mapping[str, Any]:
    system, title = section.system, section.system.implementation.title
    modes = _modes(system)
    other = next((each for each in described if modes.items() <= _modes(each).items()), None)
    is_repeated = other is not None and other.name == system.name
    return {
        "title": title,
        "modes": modes,
        "modes_of": other and ("above" if is_repeated else f"in {other.implementation.title}"),
        "note": "" if is_repeated else system.note,
        "same_as": same_as,
        "columns": list(section.columns.values()),
        "rows": list(_joined(section.rows, list(section.columns))),
        "message": _first_message(system.answers),
    }


def _modes(system: System) -> Mapping[str, tuple[str, str]]:
    return {mode: (what, _logs(system.answers[mode])) for mode, what in system.modes.items()}


def _row(system: System, case: Case) -> _Row:
    expected = due(system.format, case)
    survivors = len(expected.left & expected.written)
    return _Row(
        case.id,
        f"{survivors}/{len(expected.written)}: {expected.verdict}",
        [_cell(system.answers[mode][case.id]) for mode in system.modes],
    )


def _cell(judgement: Judgement) -> str:
    is_plain = judgement.is_as_expected and not (judgement.stale or judgement.unproven)
    return AS_EXPECTED if is_plain else judgement.effect


def _joined(rows: Sequence[_Row], columns: Sequence[Sequence[str]]) -> Iterator[Mapping[str, Any]]:
    """Yield one row for all damage with the same outcomes, except if all are as expected."""
    joined: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for number, row in enumerate(rows):
        cells = tuple(column[number] for column in columns)
        if set(cells) != {AS_EXPECTED}:
            joined.setdefault((row.expected, cells), []).append(f"`{row.id}`")
    for (expected, cells), ids in joined.items():
        yield {"damage": ", ".join(ids), "expected": expected, "cells": cells}


def _logs(answers: Mapping[str, Judgement]) -> str:
    """Return the states of the damaged logs in one mode, with counts if the states differ."""
    # Logs that were refused and kept are omitted, because they have not changed.
    outcomes = Counter(
        f"{each.log}{' (refused)' * (each.end == 'refused')}"
        for id, each in answers.items()
        if id != "none" and each.log is not None and (each.end, each.log) != ("refused", "kept")
    )
    if len(outcomes) == 1:
        return next(iter(outcomes))
    return ", ".join(f"{log} {number}" for log, number in sorted(outcomes.items()))


def _first_message(answers: Answers) -> tuple[str, str] | None:
    for mode, of_mode in answers.items():
        for id, each in of_mode.items():
            if each.report:
                return each.report.replace("`", "'"), f"`{mode}`, `{id}`"
    return None
