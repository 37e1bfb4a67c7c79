"""What a reader finds: objects, and faults in the order in which they are met."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# The steps of SDJ-040.
HEADER, OBJECTS, CHAIN, ENTRIES, TABLES, FIELDS, LISTS, MISLED, SEALS, COUNTS = range(10)


@dataclass(frozen=True)
class Fault:
    """A range of bytes that is lost, and why.

    ``there`` holds the offsets that decide, besides ``start``, whether the fault is at a tear;
    ``is_late`` says that it is at any tear of an online file (SDJ-100).
    """

    step: int
    code: str
    start: int
    stop: int
    there: tuple[int, ...] = ()
    is_late: bool = False


@dataclass(frozen=True)
class Found:
    """An object that the walk found, up to the end of its padding.

    ``payload`` is that of a sound DATA, or the name of a sound FIELD.
    """

    at: int
    type: int
    end: int
    parsed: Any
    is_wrong: bool
    payload: bytes

    @property
    def body(self) -> Any:
        """The fields after the object header, as the grammar names them."""
        return self.parsed.body


class Ranges:
    """Ranges that do not overlap: what comes later gets what is left (SDJ-054)."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int]] = []

    def add(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The pieces of a range that no earlier one has."""
        place = max(bisect_right(self.taken, (start, start)) - 1, 0)
        pieces = []
        while start < stop and place < len(self.taken):
            begin, end = self.taken[place]
            if begin >= stop:
                break
            if start < begin:
                pieces.append((start, begin))
            start = max(start, end)
            place += 1
        if start < stop:
            pieces.append((start, stop))
        for piece in pieces:
            insort(self.taken, piece)
        return iter(pieces)
