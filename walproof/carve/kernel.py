"""The search for fixed bytes of all formats in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from walproof.scan.kernels import helper, kernel, load64

_BLOCK = 64


@helper
def _has_pair(data: Any, at: Any, byte: Any, other_at: Any, other: Any) -> Any:
    """Return whether two bytes are ``k`` after their places, for any k of a block.

    The loop has no branch, so that LLVM compares all bytes of a block at once.
    """
    at, other_at, hits = np.uint64(at), np.uint64(other_at), np.uint8(0)
    for k in range(np.uint64(_BLOCK)):
        hits |= np.uint8((data[at + k] == byte) & (data[other_at + k] == other))
    return hits != 0


@kernel
def matches(
    data: Any,
    go_on: Any,
    stop: Any,
    size: Any,
    places: Any,
    letters: Any,
    masks: Any,
    values: Any,
    first: Any,
    peeks: Any,
    among: Any,
    at: Any,
    which: Any,
) -> Any:
    """Find patterns that begin in ``[go_on, stop)``; 80 bytes after ``stop`` lie in the array.

    Pattern ``p`` has the words ``values[2 * p]`` and ``values[2 * p + 1]`` under its masks, and of
    these the bytes ``letters[2 * p]`` and ``letters[2 * p + 1]`` at ``places`` after its start. If
    ``[first[p], first[p + 1])`` is not empty, one of the bytes at ``peeks`` after its start and
    before ``size`` is one for which ``among[256 * p + byte]`` is not 0. Returns how many patterns
    there are, and where to go on: ``stop`` when it is through, less when there may be no more room
    in ``at`` and ``which``.
    """
    hits = 0
    count = first.shape[0] - 1
    i = go_on
    while i < stop:
        if hits + _BLOCK * count > at.shape[0]:
            return hits, i
        for p in range(count):
            near, far = places[2 * p], places[2 * p + 1]
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
                    place = begin + peeks[number]
                    if place < size and among[256 * p + data[place]] != 0:
                        is_hit = True
                        break
                if is_hit:
                    at[hits], which[hits] = begin, p
                    hits += 1
        i += _BLOCK
    return hits, stop
