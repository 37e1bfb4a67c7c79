"""Write ``docs/scenarios.md`` from the scenarios and the stored results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from conformance import templates
from conformance.vectors import Vector
from lab.scenarios.book import Scenario, Shown, format_of, scenarios, shown
from lab.scenarios.results import AS_EXPECTED, NOT_RUN, Results
from reference_impl.paths import ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "scenarios.md"


#: The number of systems with the same effect from which a row calls them "all others".
MIN_OTHERS = 3


def rows(
    scenario: Scenario, examples: Sequence[Shown], results: Results
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of one scenario, in the order of the formats.

    Consecutive examples of a format with the same results share a row.
    """
    previous = None
    keyed = ((format_of(each.vector), _outcomes(each, results), each) for each in examples)
    for (format, outcomes), group in groupby(keyed, key=lambda each: each[:2]):
        yield {
            "format": format,
            "is_first": format != previous,
            "promise": scenario.promise[format],
            "examples": [example for _, _, example in group],
            "systems": outcomes,
        }
        previous = format


def _outcomes(example: Shown, results: Results) -> Mapping[str, str]:
    """Return the names of the systems with each unexpected effect in an example."""
    by_effect: dict[str, list[str]] = {}
    for name, effects in results.items():
        if not runs_nothing(effects) and example.vector.id in effects:
            by_effect.setdefault(effects[example.vector.id], []).append(name)
    others = max(by_effect, key=lambda effect: len(by_effect[effect]), default="")
    if len(by_effect) < 2 or AS_EXPECTED in by_effect or len(by_effect[others]) < MIN_OTHERS:
        others = ""
    # "All others" comes after the named systems, but before systems that do not run the example.
    order = sorted(by_effect, key=lambda effect: (effect == NOT_RUN, effect == others))
    return {
        effect.replace(", reports nothing", " silently"): (
            "all others" if effect == others else ", ".join(by_effect[effect])
        )
        for effect in order
        if effect != AS_EXPECTED
    }


def runs_nothing(effects: Mapping[str, str]) -> bool:
    """Return whether a system runs none of the examples."""
    return set(effects.values()) == {NOT_RUN}


def systems(examples: Mapping[str, Sequence[Shown]], results: Results) -> Mapping[str, list[str]]:
    """Return the names of the systems by format; a ``*`` marks those that run no example."""
    ids = {
        each.vector.id: format_of(each.vector) for of_one in examples.values() for each in of_one
    }
    by_format: dict[str, list[str]] = {format: [] for format in registers()}
    for name, effects in results.items():
        for format in sorted({ids[id] for id in effects if id in ids}):
            by_format[format].append(f"{name}{'*' * runs_nothing(effects)}")
    return by_format


def page(vectors: Mapping[str, Vector], results: Results) -> str:
    """Return the text of the page. Raises :class:`lab.scenarios.book.BrokenScenario`."""
    environment = templates.environment(Path(__file__).parent)
    examples = shown(vectors)
    sections = [(each, list(rows(each, examples[id], results))) for id, each in scenarios().items()]
    return environment.get_template("scenarios.md.j2").render(
        scenarios=sections,
        formats=registers(),
        systems=systems(examples, results),
        outcomes=_verdicts,
    )


def _verdicts(of_scenario: Sequence[Mapping[str, Any]], format: str) -> list[str]:
    return list(
        dict.fromkeys(
            example.outcome
            for row in of_scenario
            if row["format"] == format
            for example in row["examples"]
        )
    )
