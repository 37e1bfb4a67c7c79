"""The mutants of a run as one HTML page that needs nothing but itself and works from disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance.mutants.run import kill_rate, wrong
from conformance.saving import save

from .html import asset, environment


def write(body: Mapping[str, Any], path: Path) -> None:
    """Write what ``walproof mutants`` found to ``path``."""
    save(path, render(body))


def render(body: Mapping[str, Any]) -> str:
    """The page as text."""
    return (
        environment()
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
