"""Parts of a file, and the inspection that they share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import refusal
from reference_impl.systemd_journal.layout import Header
from walproof.scan.log import Log, Source
from walproof.scan.model import WHOLE, Part
from walproof.scan.systemd_journal.inspection import Inspection

MOST = 16
"""Parts of a file."""

_MOST_ARRAYS = 256

_shared: dict[bytes, Any] = {}


def divided(log: Log, target_bytes: int) -> Sequence[Part]:
    """Parts of about so many bytes that have the same number of entries each. ``OSError``."""
    source = log.open()
    try:
        count = min(-(-source.size // max(target_bytes, 1)), MOST)
        head = source.read(0, layout.HEADER_FULL)
        if count < 2 or len(head) < layout.HEADER_MIN or refusal(head) is not None:
            return [WHOLE]
        bounds = _bounds(source, layout.parse_header(head), count)
    finally:
        source.close()
    places = sorted({0, *(place for place in bounds if 0 < place < source.size)})
    plan = os.urandom(8)  # parts of one plan see the file as the first of them found it
    return [
        Part(start, end, state=plan)
        for start, end in pairwise([*places, None])
        if start is not None
    ]


def _bounds(source: Source, header: Header, count: int) -> list[int]:
    """Where parts begin. Any offsets will do: these are hints, and nothing depends on them."""
    arrays = list(_arrays(source, header))
    total = min(sum(slots for _, slots in arrays), header.n_entries)
    bounds = []
    for part in range(1, count):
        ordinal = total * part // count
        for at, slots in arrays:
            if ordinal < slots:
                place = at + 24 + ordinal * header.slot_size
                bounds.append(int.from_bytes(source.read(place, header.slot_size), "little"))
                break
            ordinal -= slots
    return bounds if any(bounds) else [source.size * part // count for part in range(1, count)]


def _arrays(source: Source, header: Header) -> Iterator[tuple[int, int]]:
    """Offset and slots of the arrays of the main chain, as far as they make sense."""
    at = header.entry_array_offset
    for _ in range(_MOST_ARRAYS):
        head = source.read(at, 24) if 0 < at < source.size else b""
        if len(head) < 24 or head[0] != layout.ENTRY_ARRAY:
            return
        size = int.from_bytes(head[8:16], "little")
        if not 24 < size <= source.size - at:
            return
        yield at, (size - 24) // header.slot_size
        following = int.from_bytes(head[16:24], "little")
        if following <= at:
            return
        at = following


def inspected(part: Part, inspect: Callable[[], Any]) -> Any:
    """What ``inspect`` gives; once for the parts of a plan, if they are read one after another."""
    if part.state is None:
        return inspect()
    if part.state not in _shared:
        found = inspect()
        _shared.clear()
        _shared[part.state] = found
    found = _shared[part.state]
    if part.end is None:
        _shared.clear()
    return found


def within(part: Part, found: Inspection) -> NDArray[np.int64]:
    """The entries of a part, by their numbers."""
    numbers = found.released()
    if part == WHOLE:
        return numbers
    places = found.found.offsets[numbers]
    chosen = places >= part.start
    if part.end is not None:
        chosen &= places < part.end
    inside: NDArray[np.int64] = numbers[chosen]
    return inside
