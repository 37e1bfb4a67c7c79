"""Write ``docs/databases.md`` from the stored judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance import templates
from lab.databases.judge import Judgement, due
from lab.databases.model import formats
from lab.databases.opening import shape
from lab.databases.run import cases_for
from lab.databases.systems import System, systems
from lab.scenarios.book import scenarios
from reference_impl.paths import ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "databases.md"
MAX_SHOWN_MESSAGES = 6


def page() -> str:
    """Return the text of the page."""
    answered = [each for each in systems() if each.load_answers()]
    template = templates.environment(Path(__file__).parent).get_template("databases.md.j2")
    return template.render(
        summary=[row for each in answered for row in _summary(each)],
        formats=[
            {
                "title": registers()[format_id].title,
                "systems": [_shown(each) for each in answered if each.format == format_id],
            }
            for format_id in formats()
            if any(each.format == format_id for each in answered)
        ],
    )


def _summary(system: System) -> Iterator[Mapping[str, Any]]:
    for mode, answers in system.load_answers().items():
        judged = [Judgement.from_json(each) for id, each in answers.items() if id != "none"]
        opened = [each for each in judged if each.end == "opened"]
        yield {
            "system": system.implementation.title,
            "mode": f"`{mode}`",
            "expected": sum(each.is_as_expected for each in judged),
            "reported": sum(bool(each.lost and each.report) for each in opened),
            "silent": sum(bool((each.lost or each.gone) and not each.report) for each in opened),
            "invented": sum(bool(each.invented) for each in opened),
            "refused": sum(each.end == "refused" for each in judged),
            "ended": sum(each.end in ("hangs", "dies") for each in judged),
            "forgotten": sum(
                each.end == "refused-again" or bool(each.forgotten) for each in judged
            ),
        }


def _shown(system: System) -> Mapping[str, Any]:
    stored = system.load_answers()
    rows = list(_rows(system, stored))
    return {
        "title": system.implementation.title,
        "modes": system.modes,
        "note": system.note,
        "rows": [row for row in rows if not row["as_expected"]],
        "others": sum(row["as_expected"] for row in rows),
        "logs": [_logs(stored[mode]) for mode in system.modes],
        "messages": list(_first_messages(stored))[:MAX_SHOWN_MESSAGES],
    }


def _rows(system: System, stored: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    known = scenarios()
    for case in cases_for(system):
        expected = due(system.format, case)
        survivors = len(expected.left & expected.written)
        _, _, which = case.id.partition("/")
        title = known[case.scenario].title if case.scenario in known else "No damage"
        judged = [Judgement.from_json(stored[mode][case.id]) for mode in system.modes]
        yield {
            "what": f"{title} ({which.replace('-', ' ')})" if which else title,
            "expected": f"{survivors} of {len(expected.written)}: {expected.verdict}",
            "cells": [each.effect for each in judged],
            "as_expected": case.id != "none" and all(each.is_as_expected for each in judged),
        }


def _logs(answers: Mapping[str, Any]) -> str:
    """Return what became of the damaged logs in one mode, with the number of each outcome."""
    outcomes = Counter(
        (Judgement.from_json(each).end == "refused", each["log"])
        for id, each in answers.items()
        if id != "none" and "log" in each
    )
    return ", ".join(
        f"{log}{' (does not open)' * is_refused} {number}"
        for (is_refused, log), number in sorted(outcomes.items())
    )


def _first_messages(stored: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the first message of each shape, with its mode and case."""
    seen = set()
    for mode, answers in stored.items():
        for id, answer in answers.items():
            message = answer.get("report")
            if message and shape(message) not in seen:
                seen.add(shape(message))
                yield message.replace("`", "'"), f"{mode}, {id}"
