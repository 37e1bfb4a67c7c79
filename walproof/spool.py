"""Store records and lost ranges in a scratch file, for answers that do not fit in memory."""

from __future__ import annotations

import heapq
import pickle
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, overload

from reference_impl.answer import Lost, Record

#: Maximum size in bytes of a list in memory. Larger lists move to a file.
IN_MEMORY = 1 << 20

T = TypeVar("T")
#: Each element contains a file's rank in log order, an offset in the file, and a row.
Placed = tuple[int, int, Any]


class Shelf(Sequence[T]):
    """An append-only list in a scratch file. Each item takes eight bytes of memory."""

    def __init__(self) -> None:
        self._bodies = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        # Each item begins at one offset and ends at the next one.
        self._offsets = array("Q", [0])
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
    """Rows for records and lost ranges, in scratch files. Each row takes eight bytes of memory.

    If the disk is full, methods raise ``OSError``.
    """

    def __init__(self) -> None:
        self._records: Shelf[Placed] = Shelf()
        self._lost: Shelf[Placed] = Shelf()
        # These ranks of the files follow log order, which may differ from the order of names.
        self._ranks: dict[str | None, int] = {}

    def add(self, event: Record | Lost, row: Any) -> None:
        """Append the row of a record or lost range."""
        if isinstance(event, Record):
            self._records.append((self.rank(event.file), event.at, row))
        else:
            self._lost.append((self.rank(event.file), event.start, row))

    def __len__(self) -> int:
        return len(self._records) + len(self._lost)

    def rank(self, file: str | None) -> int:
        """Return the number of a file in log order, the order in which files are first named."""
        return self._ranks.setdefault(file, len(self._ranks))

    @property
    def has_names(self) -> bool:
        """True if any row names a file, as in a log that consists of several files."""
        return any(self._ranks)

    def rows(self) -> Iterator[Any]:
        """Yield the rows in log order."""
        # Rows are stored in the order in which they are read, which may differ from log order.
        lost = self._lost
        order = sorted(range(len(lost)), key=lambda number: lost[number][:2])
        merged = heapq.merge((lost[number] for number in order), self._records, key=_place)
        return (row for _, _, row in merged)


def _place(row: Placed) -> tuple[int, int]:
    return row[:2]
