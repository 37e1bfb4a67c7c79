"""Search for the fixed bytes of all formats in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from walproof.scan.kernels import helper, kernel, load64

_BLOCK = 64


@helper
def _has_pair(data: Any, at: Any, byte: Any, other_at: Any, other_byte: Any) -> Any:
    """Return whether two bytes occur at their offsets plus ``k``, for some ``k`` in a block.

    The loop has no branch, so that LLVM can vectorise it.
    """
    at, other_at, hits = np.uint64(at), np.uint64(other_at), np.uint8(0)
    for k in range(np.uint64(_BLOCK)):
        hits |= np.uint8((data[at + k] == byte) & (data[other_at + k] == other_byte))
    return hits != 0


@kernel
def matches(
    data: Any,
    go_on: Any,
    stop: Any,
    size: Any,
    offsets: Any,
    letters: Any,
    masks: Any,
    values: Any,
    first: Any,
    peeks: Any,
    among: Any,
    at: Any,
    numbers: Any,
) -> Any:
    """Find patterns that begin in ``[go_on, stop)``; 80 bytes after ``stop`` lie in the array.

    Pattern ``p`` contains the words ``values[2 * p]`` and ``values[2 * p + 1]`` under its masks.
    Its bytes ``letters[2 * p]`` and ``letters[2 * p + 1]`` are at ``offsets`` after its start. If
    ``[first[p], first[p + 1])`` is not empty, one of the bytes at ``peeks`` after its start and
    before ``size`` must be one for which ``among[256 * p + byte]`` is not 0. Offsets and numbers of
    hits are stored in ``at`` and ``numbers``. Returns the number of hits, and the offset to
    continue at: ``stop`` at the end, less if the arrays may be full.
    """
    hits = 0
    count = first.shape[0] - 1
    i = go_on
    while i < stop:
        if hits + _BLOCK * count > at.shape[0]:
            return hits, i
        for p in range(count):
            near, far = offsets[2 * p], offsets[2 * p + 1]
            if not _has_pair(data, i + near, letters[2 * p], i + far, letters[2 * p + 1]):
                continue
            for begin in range(i, min(i + _BLOCK, stop)):
                if (
                    load64(data, begin) & masks[2 * p] != values[2 * p]
                    or load64(data, begin + 8) & masks[2 * p + 1] != values[2 * p + 1]
                ):
                    continue
                is_hit = first[p] == first[p + 1]
                for number in range(first[p], first[p + 1]):
                    offset = begin + peeks[number]
                    if offset < size and among[256 * p + data[offset]] != 0:
                        is_hit = True
                        break
                if is_hit:
                    at[hits], numbers[hits] = begin, p
                    hits += 1
        i += _BLOCK
    return hits, stop
