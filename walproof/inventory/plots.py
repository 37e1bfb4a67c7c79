"""Draw plots as inline SVG, without scripts and network access, in the colours of the page.

Every mark has a title, which browsers show as a tooltip and screen readers read aloud.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 640
_ROW = 22
_CHART = 150
_LEFT = 46
_BOTTOM = 22
_TOP = 8


@dataclass(frozen=True, slots=True)
class Series:
    """A series of bars. ``style`` is its CSS class: torn, damaged, refused."""

    style: str
    name: str
    values: Sequence[int]


def columns(
    series: Sequence[Series],
    labels: Sequence[str],
    ticks: Sequence[tuple[float, str]],
    noun: str,
    width: int = WIDTH,
) -> str:
    """Return stacked vertical bars with ``labels``; ``ticks`` are at bar edges, counted in bars."""
    count = len(labels)
    totals = [sum(group.values[n] for group in series) for n in range(count)]
    top = nice(max(totals, default=0))
    room = width - _LEFT - 6
    step = room / max(count, 1)
    gap = min(2.0, step / 5)
    parts = [*_axis(top, width)]
    for n, label in enumerate(labels):
        base: float = _TOP + _CHART
        for group in series:
            value = group.values[n]
            if not value:
                continue
            height = max(1.5, value / top * _CHART)
            title = f"{label}: {value:,} {noun}" + (f", {group.name}" if len(series) > 1 else "")
            parts.append(
                f'<rect class="{group.style}" x="{_LEFT + n * step + gap / 2:.1f}"'
                f' y="{base - height:.1f}" width="{max(step - gap, 0.5):.1f}"'
                f' height="{height:.1f}"><title>{escape(title)}</title></rect>'
            )
            base -= height
    for at, label in ticks:
        x = _LEFT + at * step
        anchor = "start" if at <= 0 else "end" if at >= count else "middle"
        parts.append(
            f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP + _CHART}"'
            f' y2="{_TOP + _CHART + 4}"/>'
            f'<text x="{x:.1f}" y="{_TOP + _CHART + 17}" text-anchor="{anchor}">'
            f"{escape(label)}</text>"
        )
    return _svg(parts, _TOP + _CHART + _BOTTOM, width)


def _axis(top: int, width: int) -> list[str]:
    parts = []
    for part in (0, 0.5, 1):
        value = top * part
        if value != int(value):
            continue
        y = _TOP + _CHART * (1 - part)
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{width - 6}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{short(int(value))}</text>'
        )
    return parts


def bars(rows: Sequence[tuple[str, str, int, str]], width: int = WIDTH) -> str:
    """Return horizontal bars from rows of label, CSS class, value, and text after the bar."""
    top = max((value for _, _, value, _ in rows), default=0) or 1
    left = 12 + 7.3 * max((len(label) for label, *_ in rows), default=0)
    right = 10 + 6.6 * max((len(note) for *_, note in rows), default=0)
    room = max(60.0, width - left - right)
    parts = []
    for n, (label, style, value, note) in enumerate(rows):
        y = n * _ROW
        length = max(2.0 if value else 0.0, value / top * room)
        parts.append(
            f'<text class="name" x="{left - 8:.1f}" y="{y + 15}" text-anchor="end">'
            f"{escape(label)}</text>"
            f'<rect class="{style}" x="{left:.1f}" y="{y + 4}" width="{length:.1f}" height="14">'
            f"<title>{escape(f'{label}: {note}')}</title></rect>"
            f'<text x="{left + length + 6:.1f}" y="{y + 15}">{escape(note)}</text>'
        )
    return _svg(parts, _ROW * max(len(rows), 1), width)


def lane(size: int, ranges: Sequence[tuple[int, int, bool]], width: int = 320) -> str:
    """Return one file from start to end, with its lost ranges."""
    parts = [f'<rect class="kept" width="{width}" height="14"><title>{size:,} bytes</title></rect>']
    for start, end, torn in ranges:
        x = min(width - 2.0, start / size * width) if size else 0.0
        length = max(2.0, min((end - start) / size * width, width - x)) if size else 2.0
        style = "torn" if torn else "damaged"
        title = f"lost {start:,} to {end:,}" + (", torn" if torn else "")
        parts.append(
            f'<rect class="{style}" x="{x:.1f}" width="{length:.1f}" height="14">'
            f"<title>{title}</title></rect>"
        )
    return _svg(parts, 14, width, "lane")


def nice(value: int) -> int:
    """Return the end of an axis: 1, 2, 4, 5 or 8 times a power of ten, at least ``value``."""
    power = 1
    while True:
        for factor in (1, 2, 4, 5, 8):
            if factor * power >= value:
                return factor * power
        power *= 10


def short(value: int) -> str:
    """Return a number for an axis: ``1.5k`` for 1,500."""
    for size, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return str(value)


def _svg(parts: Sequence[str], height: float, width: int, style: str = "plot") -> str:
    return (
        f'<svg class="{style}" viewBox="0 0 {width} {height:g}" width="{width}" height="{height:g}"'
        f' role="img">{"".join(parts)}</svg>'
    )
