"""Write ``docs/scenarios.md`` from the scenarios and the stored results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import templates
from conformance.vectors import Vector
from lab.scenarios.book import Scenario, Shown, format_of, scenarios, shown
from lab.scenarios.results import AS_EXPECTED, NOT_RUN, Results
from reference_impl.paths import ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "scenarios.md"


@dataclass(frozen=True)
class Row:
    """A vector of a scenario.

    ``right`` lists the systems that return the expected records. ``wrong`` lists the other systems
    by effect. ``not_run`` lists the systems that cannot run the vector. ``is_first`` is true for
    the first row of a format in the scenario.
    """

    format: str
    title: str
    is_first: bool
    promise: str
    example: Shown
    right: Sequence[str]
    wrong: Mapping[str, Sequence[str]]
    not_run: Sequence[str]


def rows(scenario: Scenario, examples: Sequence[Shown], results: Results) -> Iterator[Row]:
    """Yield the rows of one scenario, in the order of the formats."""
    previous = None
    for example in examples:
        id, format = example.vector.id, format_of(example.vector)
        effects_here = {name: effects[id] for name, effects in results.items() if id in effects}
        wrong: dict[str, list[str]] = {}
        for name, effect in effects_here.items():
            if effect not in (AS_EXPECTED, NOT_RUN):
                wrong.setdefault(effect, []).append(name)
        yield Row(
            format,
            registers()[format].title,
            format != previous,
            scenario.promise[format],
            example,
            [name for name, effect in effects_here.items() if effect == AS_EXPECTED],
            wrong,
            [name for name, effect in effects_here.items() if effect == NOT_RUN],
        )
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
