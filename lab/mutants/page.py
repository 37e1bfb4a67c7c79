"""The mutants of a run as one HTML page that needs nothing but itself and works from disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance import templates
from conformance.reports.html import asset
from conformance.saving import save
from lab.mutants.run import kill_rate, wrong


def write(body: Mapping[str, Any], path: Path) -> None:
    """Write what ``python -m lab mutants`` found to ``path``."""
    save(path, render(body))


def render(body: Mapping[str, Any]) -> str:
    """The page as text."""
    return (
        templates.environment(Path(__file__).parent, autoescape=True)
        .get_template("mutants.html.j2")
        .render(
            body=body,
            style=Markup(asset("report.css")),
            kill_rate=kill_rate,
            wrong=wrong,
            groups=_groups,
        )
    )


def _groups(found: list[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    """Mutants by one of their properties, in the order in which they come."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        groups.setdefault(str(one[key]), []).append(one)
    return groups
