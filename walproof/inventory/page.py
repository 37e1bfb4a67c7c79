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
    """The page as text."""
    environment = templates.environment(_TEMPLATES, autoescape=True)
    environment.filters.update(size=quantity.in_bytes, number=quantity.number)
    return environment.get_template("summary.html.j2").render(
        s=summary,
        verdicts=VERDICTS,
        short=lambda file: short_path(file, summary["paths"]),
        style=Markup((_TEMPLATES / "summary.css").read_text(encoding="utf-8")),
        reasons=Markup(_reasons(summary["reasons"])),
        more_reasons=max(0, len(summary["reasons"]) - MAX_SHOWN_REASONS),
        where=Markup(_where(summary["where"])),
        lanes=[Markup(plots.lane(each["size"], each["ranges"])) for each in summary["worst"]],
    )


def _reasons(reasons: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for each in reasons[:MAX_SHOWN_REASONS]:
        files = quantity.counted(each["files"], "file")
        note = f"refused, {files}"
        if each["verdict"] != "refused":
            ranges = quantity.counted(each["ranges"], "range")
            note = f"{ranges}, {quantity.in_bytes(each['bytes'])}, {files}"
        label = f"{each['format']}  {each['reason']}"
        rows.append((label, each["verdict"], each["ranges"] or each["files"], note))
    return plots.bars(rows, 880)


def _where(where: Mapping[str, Any]) -> str:
    steps = where["steps"]
    labels = [f"{n * 100 / steps:g}–{(n + 1) * 100 / steps:g} %" for n in range(steps)]
    ticks = [(steps * part / 4, f"{25 * part} %") for part in range(5)]
    series = [
        plots.Series(kind, kind, where[kind]) for kind in ("damaged", "torn") if any(where[kind])
    ]
    return plots.columns(series, labels, ticks, "lost ranges", 880)
