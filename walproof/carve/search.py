"""Search for the fixed bytes of formats in a window, with all of its bytes compared at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walproof.carve.model import Pattern, Window


def offsets(pattern: Pattern, window: Window) -> Sequence[int]:
    """Return the offsets in the image of the hits of a window, in order.

    A pattern that begins in the lookahead belongs to the next window.
    """
    data, length = window.data, window.stop - window.base
    mask = pattern.mask or b"\xff" * len(pattern.value)
    # Two fixed bytes leave few candidates: large ones, since most bytes are small.
    fixed = sorted((pattern.value[at], at) for at, bits in enumerate(mask) if bits == 0xFF)
    (byte, at), (other_byte, other_at) = fixed[-1], fixed[-2 if len(fixed) > 1 else -1]
    is_near = data[at : at + length] == byte
    is_near &= data[other_at : other_at + length] == other_byte
    starts = np.flatnonzero(is_near)
    for offset, (byte, bits) in enumerate(zip(pattern.value, mask, strict=True)):
        # At least 80 zeros follow the filled bytes.
        starts = starts[data[starts + offset] & bits == byte & bits]
    if pattern.peeks:
        places = starts[:, None] + np.array(pattern.peeks)
        is_letter = np.isin(data[np.minimum(places, window.size)], list(pattern.among))
        starts = starts[(is_letter & (places < window.size)).any(axis=1)]
    starts += window.base - pattern.back
    hits: list[int] = starts[starts >= 0].tolist()
    return hits
