"""The reader's results: objects, and faults in the order of detection."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# These are the steps of SDJ-040. KEY (SDJ-106) and SKIPPED (SDJ-004) belong to the end of its first
# step.
(
    HEADER,
    KEY,
    SKIPPED,
    OBJECTS,
    CHAIN,
    ENTRIES,
    TABLES,
    FIELDS,
    LISTS,
    MISLED,
    SEALS,
    COUNTS,
) = range(12)


@dataclass(frozen=True)
class Fault:
    """A lost range of bytes with its reason code.

    ``start`` and the offsets in ``there`` determine whether the fault is at the tear. If
    ``is_late`` is true, the fault is at the tear of any online file (SDJ-100).
    """

    step: int
    code: str
    start: int
    stop: int
    there: tuple[int, ...] = ()
    is_late: bool = False


@dataclass(frozen=True)
class Found:
    """An object that the walk found, including its padding.

    For a DATA object, ``payload`` is its payload. For a FIELD object, it is the name. It is empty
    if the object has a fault other than a wrong hash. ``has_wrong_hash`` is true if a wrong hash
    is the only fault, even of a proven object (SDJ-105).
    """

    at: int
    type: int
    end: int
    parsed: Any
    is_wrong: bool
    payload: bytes
    has_wrong_hash: bool

    @property
    def body(self) -> Any:
        """Return the fields after the object header, with the grammar's names."""
        return self.parsed.body


class Ranges:
    """Ranges without overlaps. A later range gets only the bytes that are left (SDJ-054)."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int]] = []

    def add(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Return the pieces of a range that no earlier range covers."""
        index = max(bisect_right(self.taken, (start, start)) - 1, 0)
        pieces = []
        while start < stop and index < len(self.taken):
            begin, end = self.taken[index]
            if begin >= stop:
                break
            if start < begin:
                pieces.append((start, begin))
            start = max(start, end)
            index += 1
        if start < stop:
            pieces.append((start, stop))
        for piece in pieces:
            insort(self.taken, piece)
        return iter(pieces)
