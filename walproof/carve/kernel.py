"""The search for fixed bytes of all formats in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.numbers import trailing_zeros

from walproof.scan.compiled import BYTES, I64, U8, U64, kernel
from walproof.scan.memory import load64

_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


@kernel(
    types.UniTuple(types.int64, 2)(
        BYTES,
        types.int64,
        types.int64,
        types.int64,
        U8,
        types.uint64,
        types.uint64,
        I64,
        I64,
        U64,
        U64,
        I64,
        I64,
    )
)
def matches(
    data: Any,
    go_on: Any,
    start: Any,
    stop: Any,
    is_trigger: Any,
    limits: Any,
    letters: Any,
    first: Any,
    trigger: Any,
    masks: Any,
    values: Any,
    at: Any,
    which: Any,
) -> Any:
    """Find patterns that begin in ``[start, stop)``; 16 bytes after ``stop`` lie in the array.

    Pattern ``p`` has the words ``values[2 * p]`` and ``values[2 * p + 1]`` under its masks, and its
    trigger ``trigger[p]`` bytes after its start; those of the trigger byte ``b`` are
    ``[first[b], first[b + 1])``. Triggers are looked for from ``go_on``, ``start`` at first.
    No trigger is as large as the bytes of ``limits``, at most 0x80, but the one in ``letters``.
    Returns how many patterns there are, and where to go on: ``stop + 16`` when it is through, less
    when there may be no more room in ``at`` and ``which``.
    """
    found = 0
    most = at.shape[0]
    last = stop + 16
    i = go_on
    while True:
        # Eight bytes at a time, of which none is a trigger: most bytes of most data.
        while i + 8 <= last:
            here = load64(data, i)
            other = here ^ letters
            hit = ((here - limits) & ~here | (other - _ONES) & ~other) & _HIGHS
            if hit != 0:
                i += np.int64(trailing_zeros(hit)) >> 3
                break
            i += 8
        if i >= last:
            return found, last
        if is_trigger[data[i]] == 0:
            i += 1
            continue
        if found + first[data[i] + 1] - first[data[i]] > most:
            return found, i
        for p in range(first[data[i]], first[data[i] + 1]):
            begin = i - trigger[p]
            if (
                begin >= start
                and begin < stop
                and load64(data, begin) & masks[2 * p] == values[2 * p]
                and load64(data, begin + 8) & masks[2 * p + 1] == values[2 * p + 1]
            ):
                at[found], which[found] = begin, p
                found += 1
        i += 1
