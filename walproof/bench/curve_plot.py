"""The curves as one SVG: time on the left, memory on the right, both axes in powers of ten."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from walproof.bench.curve import Row

WIDTH, HEIGHT, LEFT, TOP = 340, 220, 60, 30
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")


def svg(rows: Sequence[Row]) -> str:
    """The plot of these rows, at least one, as a document."""
    full_width, full_height = 2 * (LEFT + WIDTH) + 20, TOP + HEIGHT + 50 + 18 * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full_width} {full_height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{full_width}" height="{full_height}" fill="#fff"/>',
        *_panel(rows, LEFT, "processor time, s", lambda row: row["seconds"]),
        *_panel(
            rows, 2 * LEFT + WIDTH, "memory, MB", lambda row: [n / 1e6 for n in row["peak_bytes"]]
        ),
    ]
    for number, row in enumerate(rows):
        y = TOP + HEIGHT + 50 + 18 * number
        parts.append(
            f'<rect x="{LEFT}" y="{y - 9}" width="14" height="4" fill="{_colour(number)}"/>'
        )
        name = escape(f"{row['contender']}: {row['workload']}")
        parts.append(f'<text x="{LEFT + 22}" y="{y}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(
    rows: Sequence[Row], left: int, title: str, values: Callable[[Row], Sequence[float]]
) -> list[str]:
    counts = [count for row in rows for count in row["records"]]
    heights = [max(value, 1e-3) for row in rows for value in values(row)]
    x = _scale(min(counts), max(counts), left, left + WIDTH)
    y = _scale(min(heights), max(heights), TOP + HEIGHT, TOP)
    parts = [
        f'<text x="{left}" y="{TOP - 10}" font-weight="bold">{title}</text>',
        f'<path d="M{left},{TOP}V{TOP + HEIGHT}H{left + WIDTH}" fill="none" stroke="#666"/>',
    ]
    for power in _powers(min(counts), max(counts)):
        at = x(10.0**power)
        parts.append(f'<path d="M{at:.1f},{TOP}V{TOP + HEIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{at:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">10<tspan'
                     f' dy="-5" font-size="9">{power}</tspan></text>')  # fmt: skip
    for power in _powers(min(heights), max(heights)):
        at = y(10.0**power)
        parts.append(f'<path d="M{left},{at:.1f}h{WIDTH}" stroke="#ddd"/>')
        label = f"{10.0**power:g}"
        parts.append(f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
    for number, row in enumerate(rows):
        points = " ".join(
            f"{x(count):.1f},{y(max(value, 1e-3)):.1f}"
            for count, value in zip(row["records"], values(row), strict=True)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{_colour(number)}"'
                     ' stroke-width="2"/>')  # fmt: skip
    return parts


def _powers(low: float, high: float) -> range:
    """The powers of ten from the one at or below ``low`` to the one at or above ``high``."""
    return range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    powers = _powers(low, high)
    first, width = powers[0], max(len(powers) - 1, 1)
    return lambda value: start + (math.log10(value) - first) / width * (end - start)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]
