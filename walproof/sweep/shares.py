"""Divide the number of cases among groups, controls and families."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

TRUNCATIONS, SINGLES, FOLDERS, CONTEXTS, PAIRS, APPENDS, WRITES = (
    "truncations", "single damages", "folder operations", "other contexts", "pairs", "appends",
    "writes",
)  # fmt: skip

#: Share of each group of cases in percent.
WEIGHTS = {
    TRUNCATIONS: 13, SINGLES: 31, FOLDERS: 13, CONTEXTS: 13, PAIRS: 18, APPENDS: 10, WRITES: 2,
}  # fmt: skip


def divide(total: int, limits: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Divide ``total`` into parts by weight.

    If a part reaches its limit, the other parts get the rest.
    """
    parts = [0] * len(limits)
    open_to = [n for n in range(len(limits)) if limits[n] > 0 and weights[n] > 0]
    remaining = min(total, sum(limits[n] for n in open_to))
    while remaining > 0:
        sum_of_weights = sum(weights[n] for n in open_to)
        full = [
            n for n in open_to if parts[n] + remaining * weights[n] / sum_of_weights >= limits[n]
        ]
        if full:
            for n in full:
                take = min(limits[n] - parts[n], remaining)
                parts[n] += take
                remaining -= take
            open_to = [n for n in open_to if n not in set(full)]
            continue
        rounded = [int(remaining * weights[n] / sum_of_weights) for n in open_to]
        for n, part in zip(open_to, rounded, strict=True):
            parts[n] += part
        remaining -= sum(rounded)
        # Rounding leaves a remainder. The parts with the highest weights get one more case each.
        for n in sorted(open_to, key=lambda n: -weights[n])[:remaining]:
            parts[n] += 1
        remaining = 0
    return parts


def spread(index: int, count: int, salt: int) -> int:
    """Return element ``index`` of an evenly spread sequence of all numbers below ``count``."""
    return (index * _step(count) + salt) % count


@functools.cache
def _step(count: int) -> int:
    """Return a number that is near the golden ratio of ``count`` and coprime to ``count``."""
    step = max(1, int(count * 0.6180339887498949))
    while math.gcd(step, count) != 1:
        step += 1
    return step
