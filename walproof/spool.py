"""Store records and lost ranges in a scratch file, for answers that are larger than memory."""

from __future__ import annotations

import heapq
import pickle
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

from reference_impl.answer import Lost, Record

#: The number of bytes that stay in memory. A larger list moves to a file.
IN_MEMORY = 1 << 20

T = TypeVar("T")


class Shelf(Sequence[T]):
    """An append-only list in a scratch file, with eight bytes of memory for each item."""

    def __init__(self) -> None:
        self._bodies = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        self._offsets = array("Q", [0])  # start of each item, and end of the last
        self._was_read = False

    def append(self, item: T) -> None:
        """Append an item."""
        if self._was_read:
            self._bodies.seek(self._offsets[-1])
            self._was_read = False
        written = self._bodies.write(pickle.dumps(item, protocol=5))
        self._offsets.append(self._offsets[-1] + written)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        self._was_read = True
        self._bodies.seek(self._offsets[at % len(self)])
        item: T = pickle.load(self._bodies)
        return item


class Spool:
    """Records and lost ranges in scratch files. Each record or range takes eight bytes of memory.

    If the disk is full, methods raise ``OSError``.
    """

    def __init__(self) -> None:
        self.records: Shelf[Record] = Shelf()
        self._lost: Shelf[Lost] = Shelf()
        self._ranks: dict[str | None, int] = {}  # log order of files, not the order of their names
        self._last = (0, 0)
        self._is_sorted = True

    def add(self, event: Record | Lost) -> None:
        """Append a record or lost range."""
        self._ranks.setdefault(event.file, len(self._ranks))
        if isinstance(event, Record):
            self.records.append(event)
            return
        self._lost.append(event)
        self._is_sorted &= self._last <= (place := self._place(event))
        self._last = place

    def _place(self, event: Record | Lost) -> tuple[int, int]:
        at = event.at if isinstance(event, Record) else event.start
        return self._ranks[event.file], at

    @property
    def has_names(self) -> bool:
        """True if any record or range is in a named file, as in a log of several files."""
        return any(self._ranks)

    def lost(self) -> Sequence[Lost]:
        """Return the lost ranges in log order."""
        if not self._is_sorted:  # rare: the readers of most formats yield lost ranges in log order
            order = sorted(range(len(self._lost)), key=lambda n: self._place(self._lost[n]))
            unsorted, self._lost = self._lost, Shelf()
            for number in order:
                self._lost.append(unsorted[number])
            self._is_sorted = True
        return self._lost

    def rows(self) -> Iterator[tuple[int, Record | Lost]]:
        """Yield records with their indexes, and lost ranges with -1 as the index, in log order."""
        records: Iterator[tuple[int, Record | Lost]] = enumerate(self.records)
        lost: Iterator[tuple[int, Record | Lost]] = ((-1, gap) for gap in self.lost())
        return heapq.merge(lost, records, key=lambda row: self._place(row[1]))
