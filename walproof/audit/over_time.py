"""Records over time, in a readable number of bars."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from walproof.audit.tally import Clock

BARS = 60
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
WIDTHS = (
    *(1, 2, 5, 10, 30),
    *(n * _MINUTE for n in (1, 2, 5, 10, 30)),
    *(n * _HOUR for n in (1, 3, 6, 12)),
    *(n * _DAY for n in (1, 7, 30, 90, 365, 3_650, 36_500, 3_650_000)),
)
"""Seconds that a bar may stand for."""
OUTLIERS = 1_000
"""One record in so many may lie outside: one wrong clock must not squeeze all other bars."""


def over_time(own: Clock, by_file: Clock) -> dict[str, Any] | None:
    """Bars for records with a clock of their own, and for those dated by their file.

    None when there are no records. ``from`` is where the first bar begins; ``outside`` counts the
    records that lie so far from all others that they are left out.
    """
    step = max(own.step, by_file.step)
    own.to_step(step)
    by_file.to_step(step)
    both = own.counts + by_file.counts
    if not both:
        return None
    first, last = _bounds(both, step)
    width = next(
        (width for width in WIDTHS if width >= step and (last - first) / width + 2 <= BARS),
        WIDTHS[-1],
    )
    origin = first // width
    bars = last // width - origin + 1
    body: dict[str, Any] = {"from": _iso(origin * width), "width": width}
    outside = 0
    for name, clock in (("by_record", own), ("by_file", by_file)):
        counts = [0] * bars
        for at, count in clock.counts.items():
            place = at * step // width - origin
            if 0 <= place < bars:
                counts[place] += count
            else:
                outside += count
        body[name] = counts
    body["outside"] = outside
    return body


def _bounds(counts: Counter[int], step: int) -> tuple[int, int]:
    """First and last second to show."""
    places = sorted(counts)
    spare = counts.total() // OUTLIERS
    first, last = 0, len(places) - 1
    inner_first, inner_last = first, last
    for end, left in (("first", spare), ("last", spare)):
        while inner_first < inner_last:
            at = places[inner_first if end == "first" else inner_last]
            left -= counts[at]
            if left < 0:
                break
            if end == "first":
                inner_first += 1
            else:
                inner_last -= 1
    whole = places[last] - places[first]
    inner = places[inner_last] - places[inner_first]
    if whole > 20 * max(inner, 1):
        first, last = inner_first, inner_last
    return places[first] * step, places[last] * step


def _iso(seconds: int) -> str:
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    except OverflowError:
        return f"{seconds} s"
    return moment.isoformat().replace("+00:00", "Z")
