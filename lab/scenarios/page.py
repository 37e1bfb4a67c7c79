"""The page of the scenarios, ``docs/scenarios.md``, made of the book and the kept results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import templates
from conformance.vectors import Vector
from lab.scenarios.book import Scenario, Shown, format_of, scenarios, shown
from lab.scenarios.results import AS_OWED, NOT_ASKED, Results
from reference_impl.paths import ROOT
from reference_impl.register import registers

PAGE = ROOT / "docs" / "scenarios.md"


@dataclass(frozen=True)
class Row:
    """One vector of one scenario."""

    format: str
    title: str
    promise: str
    example: Shown
    right: Sequence[str]
    """The systems that do what is owed."""
    wrong: Mapping[str, Sequence[str]]
    """What others do instead, and which."""
    not_asked: Sequence[str]


def rows(scenario: Scenario, examples: Sequence[Shown], results: Results) -> Iterator[Row]:
    """The rows of one scenario, in the order of the formats."""
    for example in examples:
        id, format = example.vector.id, format_of(example.vector)
        told = {name: effects[id] for name, effects in results.items() if id in effects}
        wrong: dict[str, list[str]] = {}
        for name, effect in told.items():
            if effect not in (AS_OWED, NOT_ASKED):
                wrong.setdefault(effect, []).append(name)
        yield Row(
            format,
            registers()[format].title,
            scenario.promise[format],
            example,
            [name for name, effect in told.items() if effect == AS_OWED],
            wrong,
            [name for name, effect in told.items() if effect == NOT_ASKED],
        )


def page(vectors: Mapping[str, Vector], results: Results) -> str:
    """The text of the page. Raises :class:`lab.scenarios.book.BrokenScenario`."""
    environment = templates.environment(Path(__file__).parent)
    examples = shown(vectors)
    told = [(each, list(rows(each, examples[id], results))) for id, each in scenarios().items()]
    return environment.get_template("scenarios.md.j2").render(scenarios=told, formats=registers())
