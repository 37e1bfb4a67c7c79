"""The summary as one self-contained HTML file without scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from conformance import templates
from walproof import quantity
from walproof.inventory import plots
from walproof.inventory.summary import VERDICTS
from walproof.inventory.terminal import short_path

_TEMPLATES = Path(__file__).with_name("templates")
MAX_SHOWN_REASONS = 24


def render(summary: Mapping[str, Any]) -> str:
    """Return the page as text."""
    environment = templates.environment(_TEMPLATES, autoescape=True)
    environment.filters.update(size=quantity.in_bytes, number=quantity.number)
    return environment.get_template("summary.html.j2").render(
        s=summary,
        verdicts=VERDICTS,
        short=lambda file: short_path(file, summary["paths"]),
        style=Markup((_TEMPLATES / "summary.css").read_text(encoding="utf-8")),
        reasons=Markup(_reasons(summary["reasons"])),
        more_reasons=max(0, len(summary["reasons"]) - MAX_SHOWN_REASONS),
        where=Markup(_damage_positions(summary["where"])),
        lanes=[Markup(plots.lane(file["size"], file["ranges"])) for file in summary["worst"]],
    )


def _reasons(reasons: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for reason in reasons[:MAX_SHOWN_REASONS]:
        files = quantity.counted(reason["files"], "file")
        note = f"refused, {files}"
        if reason["verdict"] != "refused":
            ranges = quantity.counted(reason["ranges"], "range")
            note = f"{ranges}, {quantity.in_bytes(reason['bytes'])}, {files}"
        label = f"{reason['format']}  {reason['reason']}"
        rows.append((label, reason["verdict"], reason["ranges"] or reason["files"], note))
    return plots.bars(rows, 880)


def _damage_positions(positions: Mapping[str, Any]) -> str:
    steps = positions["steps"]
    labels = [f"{n * 100 / steps:g}–{(n + 1) * 100 / steps:g} %" for n in range(steps)]
    ticks = [(steps * part / 4, f"{25 * part} %") for part in range(5)]
    series = [
        plots.Series(verdict, verdict, positions[verdict])
        for verdict in ("damaged", "torn")
        if any(positions[verdict])
    ]
    return plots.columns(series, labels, ticks, "lost ranges", 880)
