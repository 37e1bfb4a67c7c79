"""Build the only page of a one-row table in a SQLite database."""

from __future__ import annotations

import random
import struct


def leaf(value: int, page_size: int, leftovers: int | None = None) -> bytes:
    """Return the root page of a table whose only row is an 8-byte integer.

    ``leftovers`` is the seed of the random bytes that fill the free space. If it is None, the free
    space is filled with zeros.
    """
    cell = struct.pack(">BBBBq", 10, 1, 2, 6, value)
    at = page_size - len(cell)
    start = struct.pack(">BHHHBH", 13, 0, 1, at, 0, at)
    free = at - len(start)
    fill = bytes(free) if leftovers is None else random.Random(leftovers).randbytes(free)
    return start + fill + cell
