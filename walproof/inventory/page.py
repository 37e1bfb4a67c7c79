"""The summary as one self-contained HTML file without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance import templates
from walproof import quantity
from walproof.inventory.summary import VERDICTS
from walproof.inventory.terminal import short_path

_TEMPLATES = Path(__file__).with_name("templates")
MAX_SHOWN_REASONS = 24


def render(summary: Mapping[str, Any]) -> str:
    """Return the page as text."""
    environment = templates.environment(_TEMPLATES, autoescape=True)
    environment.filters.update(
        size=quantity.in_bytes, number=quantity.number, counted=quantity.counted
    )
    return environment.get_template("summary.html.j2").render(
        s=summary,
        verdicts=VERDICTS,
        short=lambda file: short_path(file, summary["paths"]),
        style=Markup((_TEMPLATES / "summary.css").read_text(encoding="utf-8")),
        reasons=summary["reasons"][:MAX_SHOWN_REASONS],
    )
