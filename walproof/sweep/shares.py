"""Which of all cases a sweep runs: each kind of damage has its share, and what it leaves unused
goes to the others."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

TRUNCATIONS, SINGLES, FOLDERS, CONTEXTS, PAIRS, APPENDS, WRITES = (
    "truncations", "single damages", "folder operations", "other contexts", "pairs", "appends",
    "writes",
)  # fmt: skip

WEIGHTS = {
    TRUNCATIONS: 13, SINGLES: 31, FOLDERS: 13, CONTEXTS: 13, PAIRS: 18, APPENDS: 10, WRITES: 2,
}  # fmt: skip
"""The share of each group of cases, in parts of a hundred."""


def shared(total: int, most: Sequence[int], weights: Sequence[float]) -> list[int]:
    """``total`` shared out by weight, nobody getting more than its ``most``.

    What one does not take goes to the others; the sum is ``total``, or all there is.
    """
    parts = [0] * len(most)
    open_to = [n for n in range(len(most)) if most[n] > 0 and weights[n] > 0]
    left = min(total, sum(most[n] for n in open_to))
    while left > 0:
        sum_of_weights = sum(weights[n] for n in open_to)
        full = [n for n in open_to if parts[n] + left * weights[n] / sum_of_weights >= most[n]]
        if full:
            for n in full:
                take = min(most[n] - parts[n], left)
                parts[n] += take
                left -= take
            open_to = [n for n in open_to if n not in set(full)]
            continue
        rounded = [int(left * weights[n] / sum_of_weights) for n in open_to]
        for n, part in zip(open_to, rounded, strict=True):
            parts[n] += part
        left -= sum(rounded)
        # What rounding left over, one each: to the heaviest first.
        for n in sorted(open_to, key=lambda n: -weights[n])[:left]:
            parts[n] += 1
        left = 0
    return parts


def spread(index: int, count: int, salt: int) -> int:
    """The number at a place of an order that visits each of ``count`` numbers once.

    Any stretch of the order lies evenly among the numbers, whatever their pattern.
    """
    return (index * _step(count) + salt) % count


@functools.cache
def _step(count: int) -> int:
    """About the golden ratio of a count, and without a divisor in common with it."""
    step = max(1, int(count * 0.6180339887498949))
    while math.gcd(step, count) != 1:
        step += 1
    return step
