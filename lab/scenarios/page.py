"""Write ``docs/scenarios.md`` from the scenarios and the stored results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance import templates
from conformance.vectors import Vector
from lab.scenarios.book import Scenario, Shown, format_of, scenarios, shown
from lab.scenarios.results import AS_EXPECTED, NOT_RUN, Results
from reference_impl.paths import ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "scenarios.md"


def rows(
    scenario: Scenario, examples: Sequence[Shown], results: Results
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of one scenario, in the order of the formats.

    ``wrong`` lists the systems with other results, by effect.
    """
    previous = None
    for example in examples:
        id, format = example.vector.id, format_of(example.vector)
        systems: dict[str, list[str]] = {NOT_RUN: []}
        for name, effects in results.items():
            if id in effects:
                systems.setdefault(effects[id], []).append(name)
        systems.pop(AS_EXPECTED, None)
        yield {
            "format": format,
            "title": registers()[format].title,
            "is_first": format != previous,
            "promise": scenario.promise[format],
            "example": example,
            "not_run": systems.pop(NOT_RUN),
            "wrong": systems,
        }
        previous = format


def systems(examples: Mapping[str, Sequence[Shown]], results: Results) -> Mapping[str, list[str]]:
    """Return the names of the systems with a result, by format."""
    ids = {
        each.vector.id: format_of(each.vector) for of_one in examples.values() for each in of_one
    }
    by_format: dict[str, list[str]] = {format: [] for format in registers()}
    for name, effects in results.items():
        for format in sorted({ids[id] for id in effects if id in ids}):
            by_format[format].append(name)
    return by_format


def page(vectors: Mapping[str, Vector], results: Results) -> str:
    """Return the text of the page. Raises :class:`lab.scenarios.book.BrokenScenario`."""
    environment = templates.environment(Path(__file__).parent)
    examples = shown(vectors)
    sections = [(each, list(rows(each, examples[id], results))) for id, each in scenarios().items()]
    return environment.get_template("scenarios.md.j2").render(
        scenarios=sections, formats=registers(), systems=systems(examples, results)
    )
