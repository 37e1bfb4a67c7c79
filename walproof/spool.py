"""Records and lost ranges that wait in a scratch file: an answer that is larger than the memory.

A log of empty records has one for each few bytes, and each would be an object of some hundred.
"""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from reference_impl.answer import Lost, Record

IN_MEMORY = 1 << 20
"""Bytes that are kept in memory before there is a file."""
AT_ONCE = 1000
"""Records that are put in order together: one by one it takes longer."""


T = TypeVar("T")


class Shelf(Sequence[T]):
    """A list that only grows, in a scratch file: eight bytes of memory for each item."""

    def __init__(self) -> None:
        self._bodies = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        self._places = array("Q", [0])  # where each begins, and where the next will
        self._was_read = False

    def append(self, item: T) -> None:
        """Put one after those that are here."""
        if self._was_read:
            self._bodies.seek(self._places[-1])
            self._was_read = False
        written = self._bodies.write(pickle.dumps(item, protocol=5))
        self._places.append(self._places[-1] + written)

    def __len__(self) -> int:
        return len(self._places) - 1

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
        self._bodies.seek(self._places[at % len(self)])
        item: T = pickle.load(self._bodies)
        return item


class Spool:
    """Records and lost ranges, given back as often as wanted: eight bytes of memory for each.

    What they hold is in one scratch file, their order in another, both without names. Methods raise
    ``OSError`` and ``sqlite3.OperationalError`` for a full disk.
    """

    def __init__(self) -> None:
        self._bodies: Shelf[tuple[Any, ...]] = Shelf()
        self._order = sqlite3.connect("")  # a database in a scratch file
        self._order.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA temp_store = FILE; PRAGMA cache_size = -4096;"
            "CREATE TABLE record (number INTEGER PRIMARY KEY, file, at, body);"
            "CREATE TABLE lost (number INTEGER PRIMARY KEY, file, at, body);"
        )
        self._counts = {"record": 0, "lost": 0}
        self._waiting: dict[str, list[tuple[int, ...]]] = {"record": [], "lost": []}
        self._files: dict[str | None, int] = {}  # in log order, which is not that of their names

    def add(self, event: Record | Lost) -> None:
        """Put one after those that are here."""
        if isinstance(event, Record):
            table, at = "record", event.at
            body: tuple[Any, ...] = (at, event.size, event.payload, event.fields, event.file)
        else:
            table, at = "lost", event.start
            body = (at, event.end, event.reason, event.torn, event.file)
        file = self._files.setdefault(event.file, len(self._files))
        place = (self._counts[table], file, at, len(self._bodies))
        self._waiting[table].append(place)
        if len(self._waiting[table]) == AT_ONCE:
            self._put()
        self._counts[table] += 1
        self._bodies.append(body)

    def _put(self) -> None:
        for table, places in self._waiting.items():
            self._order.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", places)
            places.clear()

    @property
    def records(self) -> Sequence[Record]:
        """The records as they came."""
        return _Records(self._counts["record"], self._records)

    def _records(self, first: int) -> Iterator[Record]:
        self._put()
        found = self._order.execute("SELECT body FROM record WHERE number >= ?", (first,))
        for (at,) in found:
            yield Record(*self._bodies[at])

    @property
    def has_names(self) -> bool:
        """Whether anything here is in a file with a name, of a log of several."""
        return any(self._files)

    def lost(self) -> Iterator[Lost]:
        """The lost ranges in log order."""
        self._put()
        for (at,) in self._order.execute("SELECT body FROM lost ORDER BY file, at, number"):
            yield Lost(*self._bodies[at])

    def rows(
        self, key: Callable[[str], Any] | None, most: int | None = None
    ) -> Iterator[tuple[int, Record | Lost]]:
        """Records with their numbers and lost ranges, in order of ``key(file)`` and offset.

        Without a key the records are in the order in which they came, and the lost ranges last.
        At one offset the lost range comes first. The number of a lost range is -1.
        """
        self._put()
        ranked = sorted(self._files.items(), key=lambda one: key(one[0] or "") if key else 0)
        self._order.execute("CREATE TEMP TABLE IF NOT EXISTS rank (file PRIMARY KEY, rank)")
        ranks = [(file, rank) for rank, (_, file) in enumerate(ranked)]
        self._order.executemany("INSERT OR REPLACE INTO rank VALUES (?, ?)", ranks)
        found = self._order.execute(
            "SELECT number, body FROM ("
            "SELECT file, at, number, number AS nth, body FROM record"
            " UNION ALL SELECT file, at, -1, number, body FROM lost"
            ") JOIN rank USING (file)"
            f" ORDER BY {'rank, at, number, nth' if key else 'number < 0, nth'} LIMIT ?",
            (-1 if most is None else most,),
        )
        for number, at in found:
            body = self._bodies[at]
            yield number, Lost(*body) if number < 0 else Record(*body)


class _Records(Sequence[Record]):
    """Records of a spool, read when they are asked for."""

    def __init__(self, count: int, records: Callable[[int], Iterator[Record]]) -> None:
        self._count = count
        self._from = records

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Record]:
        return self._from(0)

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(self._count))]
        if not -self._count <= at < self._count:
            raise IndexError(at)
        return next(self._from(at % self._count))
