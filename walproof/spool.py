"""Store records and lost ranges in a scratch file, for answers that are larger than memory.

A log of empty records has a record for every few bytes, and each record object takes several
hundred bytes of memory.
"""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from reference_impl.answer import Lost, Record

#: Bytes that stay in memory before a file is created.
IN_MEMORY = 1 << 20
#: Number of records that are inserted together, which is faster than one by one.
BATCH_SIZE = 1000


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
    """Records and lost ranges that can be read repeatedly and take eight bytes of memory each.

    Their contents are in one scratch file, and their order is in another; both files are unnamed.
    If the disk is full, methods raise ``OSError`` or ``sqlite3.OperationalError``.
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
        """Append a record or lost range."""
        if isinstance(event, Record):
            table, at = "record", event.at
            body: tuple[Any, ...] = (at, event.size, event.payload, event.fields, event.file)
        else:
            table, at = "lost", event.start
            body = (at, event.end, event.reason, event.torn, event.file)
        file = self._files.setdefault(event.file, len(self._files))
        row = (self._counts[table], file, at, len(self._bodies))
        self._waiting[table].append(row)
        if len(self._waiting[table]) == BATCH_SIZE:
            self._put()
        self._counts[table] += 1
        self._bodies.append(body)

    def _put(self) -> None:
        for table, rows in self._waiting.items():
            self._order.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?)", rows)
            rows.clear()

    @property
    def records(self) -> Sequence[Record]:
        """The records in the order of insertion."""
        return _Records(self._counts["record"], self._records)

    def _records(self, first: int) -> Iterator[Record]:
        self._put()
        rows = self._order.execute("SELECT body FROM record WHERE number >= ?", (first,))
        for (at,) in rows:
            yield Record(*self._bodies[at])

    @property
    def has_names(self) -> bool:
        """True if any record or range is in a named file, as in a log of several files."""
        return any(self._files)

    def lost(self) -> Iterator[Lost]:
        """Yield the lost ranges in log order."""
        self._put()
        for (at,) in self._order.execute("SELECT body FROM lost ORDER BY file, at, number"):
            yield Lost(*self._bodies[at])

    def rows(
        self, key: Callable[[str], Any] | None, limit: int | None = None
    ) -> Iterator[tuple[int, Record | Lost]]:
        """Yield records with their numbers, and lost ranges with -1, ordered by ``key(file)`` and
        offset.

        At the same offset, a lost range precedes a record. Without a key, the records come first,
        in the order of insertion, and then the lost ranges.
        """
        self._put()
        ranked = sorted(self._files.items(), key=lambda item: key(item[0] or "") if key else 0)
        self._order.execute("CREATE TEMP TABLE IF NOT EXISTS rank (file PRIMARY KEY, rank)")
        ranks = [(file, rank) for rank, (_, file) in enumerate(ranked)]
        self._order.executemany("INSERT OR REPLACE INTO rank VALUES (?, ?)", ranks)
        rows = self._order.execute(
            "SELECT number, body FROM ("
            "SELECT file, at, number, number AS nth, body FROM record"
            " UNION ALL SELECT file, at, -1, number, body FROM lost"
            ") JOIN rank USING (file)"
            f" ORDER BY {'rank, at, number, nth' if key else 'number < 0, nth'} LIMIT ?",
            (-1 if limit is None else limit,),
        )
        for number, at in rows:
            body = self._bodies[at]
            yield number, Lost(*body) if number < 0 else Record(*body)


class _Records(Sequence[Record]):
    """Records of a spool, read on access."""

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
