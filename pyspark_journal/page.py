"""Write a self-contained HTML page that plots the losses in a table of rows."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import matplotlib
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from conformance import templates
from conformance.saving import save
from conformance.text import one_line
from pyspark_journal import audit
from walproof.quantity import in_bytes, number

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MAX_SHOWN = 20
COLOUR = "#b3412e"
Key = TypeVar("Key", str, date)


def write_page(path: Path, rows: DataFrame, logs: DataFrame) -> None:
    """Write the page for ``rows`` of the data source. ``logs`` is what ``audit.logs`` returns.

    Raises ``OSError``.
    """
    days = audit.losses_by_day(rows).collect()
    reasons = audit.losses(rows, "reason", "format", "verdict").limit(MAX_SHOWN).collect()
    formats = audit.losses(rows, "format").collect()
    worst = audit.worst(logs, MAX_SHOWN).collect()
    plots = {
        "Losses over time": over_time([(row.day, row.lost_bytes) for row in days if row.day]),
        "Losses by reason": by_name([(row.reason, row.lost_bytes) for row in reasons]),
        "Losses by format": by_name([(row.format, row.lost_bytes) for row in formats]),
    }
    environment = templates.environment(Path(__file__).with_name("templates"), autoescape=True)
    environment.filters.update(size=in_bytes, number=number)
    page = environment.get_template("summary.html.j2").render(
        verdicts=audit.by_verdict(logs).collect(), plots=plots, reasons=reasons, worst=worst
    )
    save(path, page)


def over_time(losses: Sequence[tuple[date, int]]) -> Markup:
    """Return a bar chart, as SVG, of the bytes lost on each day."""
    figure, axes = _figure(2.2)
    totals = _totals(losses)
    axes.bar(date2num(list(totals)), list(totals.values()), color=COLOUR)
    dates = AutoDateLocator(maxticks=6)
    axes.xaxis.set_major_locator(dates)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(dates))
    axes.yaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_formatter(lambda size, _: in_bytes(size))
    return _svg(figure)


def by_name(losses: Sequence[tuple[str, int]]) -> Markup:
    """Return a bar chart, as SVG, of byte counts in descending order."""
    totals = _totals(losses)
    names = sorted(totals, key=lambda name: -totals[name])
    figure, axes = _figure(0.4 + 0.25 * max(1, len(names)))
    texts = [one_line(name).replace("$", r"\$") for name in names]  # "$" would begin a formula
    bars = axes.barh(texts, [totals[name] for name in names], color=COLOUR)
    axes.bar_label(bars, [in_bytes(totals[name]) for name in names], padding=3)
    axes.invert_yaxis()
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    return _svg(figure)


def _totals(losses: Sequence[tuple[Key, int]]) -> dict[Key, int]:
    totals: dict[Key, int] = {}
    for key, size in losses:
        totals[key] = totals.get(key, 0) + size
    return totals


def _figure(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(5.5, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure) -> Markup:
    svg = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(svg, format="svg", metadata={"Date": None})
    return Markup(svg.getvalue()[svg.getvalue().index("<svg") :])
