"""The page of whole databases, ``docs/databases.md``, made of the kept answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance import templates
from lab.databases.formats import formats
from lab.databases.judge import Judgement, due
from lab.databases.opening import shape
from lab.databases.run import cases_of
from lab.databases.systems import System, systems
from lab.scenarios.book import scenarios
from reference_impl.places import ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "databases.md"
MOST_WORDS = 6


def page() -> str:
    """The text of the page."""
    asked = [one for one in systems() if one.load_answers()]
    template = templates.environment(Path(__file__).parent).get_template("databases.md.j2")
    return template.render(
        summary=[row for one in asked for row in _summary(one)],
        formats=[
            {
                "title": registers()[format_id].title,
                "systems": [_shown(one) for one in asked if one.format == format_id],
            }
            for format_id in formats()
            if any(one.format == format_id for one in asked)
        ],
    )


def _summary(system: System) -> Iterator[Mapping[str, Any]]:
    for mode, answers in system.load_answers().items():
        found = [Judgement.from_json(one) for id, one in answers.items() if id != "none"]
        opened = [one for one in found if one.end == "opened"]
        yield {
            "system": system.implementation.title,
            "mode": f"`{mode}`",
            "owed": sum(one.is_as_expected for one in found),
            "told": sum(bool(one.lost and one.word) for one in opened),
            "silent": sum(bool((one.lost or one.gone) and not one.word) for one in opened),
            "invented": sum(bool(one.invented) for one in opened),
            "refused": sum(one.end == "refused" for one in found),
            "ended": sum(one.end in ("hangs", "dies") for one in found),
            "forgotten": sum(one.end == "refused-again" or bool(one.forgotten) for one in found),
        }


def _shown(system: System) -> Mapping[str, Any]:
    kept = system.load_answers()
    return {
        "title": system.implementation.title,
        "modes": system.modes,
        "note": system.note,
        "rows": list(_rows(system, kept)),
        "words": list(_words(kept))[:MOST_WORDS],
    }


def _rows(system: System, kept: Mapping[str, Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    known = scenarios()
    for case in cases_of(system.format):
        owed = due(system.format, case)
        left = f"{len(owed.left & owed.written)} of {len(owed.written)}: {owed.verdict}"
        _, _, which = case.id.partition("/")
        title = known[case.scenario].title if case.scenario in known else "Nothing"
        yield {
            "what": f"{title} ({which.replace('-', ' ')})" if which else title,
            "owed": left,
            "cells": [kept[mode][case.id]["effect"] for mode in system.modes],
        }


def _words(kept: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """The first words of each shape, with the mode and the case in which they were said."""
    seen = set()
    for mode, answers in kept.items():
        for id, answer in answers.items():
            word = answer.get("word")
            if word and shape(word) not in seen:
                seen.add(shape(word))
                yield word.replace("`", "'"), f"{mode}, {id}"
