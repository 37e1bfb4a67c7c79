"""List the rows that each transaction of a log inserted, updated or deleted.

If the earlier version of a page is unknown, all rows of the page are listed as written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from reference_impl.answer import Record
from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE
from walproof.decode.operations import Operations as AnyOperations
from walproof.decode.operations import Row as OperationRow
from walproof.formats.sqlite_wal.operations.database import Row, Snapshot, StoredPages
from walproof.formats.sqlite_wal.operations.schema import SCHEMA, Columns, Table
from walproof.formats.sqlite_wal.pages import (
    DB_HEADER_SIZE,
    DatabaseHeader,
    Value,
    images_of,
    page_size_of,
)
from walproof.formats.sqlite_wal.wal_index import is_untouched

#: Largest absolute value of an integer that is a number in JSON.
_MAX_JSON_INTEGER = 1 << 53
_SUFFIX = "-wal"
_TOO_MANY_READS = (
    "the transactions before this one needed too many pages of the database: from here on, no rows"
    " are shown"
)


class Operations(AnyOperations):
    """The operations of a log: one row for each changed row of a table.

    ``before`` contains the old values of the columns that an update changed.
    """

    COLUMNS = ("op", "table", "rowid", "values", "before", "page")
    FIELDS = ("after_loss",)

    def __init__(self, log: Path) -> None:
        self._log = log
        self._histories: dict[str | None, _History] = {}
        self._record: Record | None = None

    def take(self, record: Record) -> None:
        """See :class:`walproof.decode.operations.Operations`."""
        self._record = record

    def rows(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[OperationRow]:
        """See :class:`walproof.decode.operations.Operations`."""
        record = self._record
        assert record is not None, "take comes first"
        if record.file not in self._histories:
            log = self._log if record.file is None else self._log / record.file
            self._histories[record.file] = _History(log, page_size_of(record))
        return iter(self._histories[record.file].operations(record))


def _database_of(log: Path, page_size: int) -> Path | None:
    """Return the database beside a log, or None. Raises ``OSError``.

    The database must have the given page size.
    """
    path = log.with_name(log.name.removesuffix(_SUFFIX))
    if path == log or not path.is_file():
        return None
    with path.open("rb") as file:
        header = DatabaseHeader.of(file.read(DB_HEADER_SIZE))
    return path if header is not None and header.page_size == page_size else None


class _History:
    """One database: its tables and b-trees after the transactions so far."""

    def __init__(self, log: Path, page_size: int) -> None:
        self.stored = StoredPages(_database_of(log, page_size), log, page_size, is_untouched(log))
        self.parents: dict[int, int] = {}
        self.overflow: dict[int, int] = {}
        self.has_all_overflow = False
        self.is_exhausted = False
        before = Snapshot(self.stored)
        self.tables = before.tables()
        for table in self.tables.values():
            self.parents |= before.links(table.root)

    def operations(self, record: Record) -> list[OperationRow]:
        """Return the operations of a transaction, and apply the transaction.

        After a loss, rows are not compared (SQW-039). After too many page reads
        (:class:`StoredPages`), the method returns a fault, and later calls return nothing.
        """
        images = dict(images_of(record))
        if self.stored.is_exhausted:
            is_first, self.is_exhausted = not self.is_exhausted, True
            return [{"fault": _TOO_MANY_READS}] if is_first else []
        before = Snapshot(self.stored)
        after = Snapshot(self.stored, images)
        old = self._owners(before, self.tables, images)
        for number in images:
            self.parents |= dict.fromkeys(after.node(number)[1], number)
        has_schema = any(
            name == SCHEMA
            # The header of the database changes with each transaction, even if no table changes.
            and (number != 1 or before.image(1)[DB_HEADER_SIZE:] != images[1][DB_HEADER_SIZE:])
            for number, name in old.items()
        )
        tables = after.tables() if has_schema else self.tables
        new = self._owners(after, tables, images)
        if record.fields.get("after_loss"):
            operations = [*self._written(before, after, images, new, tables)]
        else:
            operations = [*self._changes(before, after, old, new, tables)]
        self._apply(record, after, tables)
        return operations

    def _changes(
        self,
        before: Snapshot,
        after: Snapshot,
        old: Mapping[int, str],
        new: Mapping[int, str],
        tables: Mapping[str, Table],
    ) -> Iterator[OperationRow]:
        """Yield the operations of a transaction; ``old`` and ``new`` map its pages to tables."""
        old_pages, new_pages = _by_table(old), _by_table(new)
        for name in dict.fromkeys([*tables, *self.tables]):
            pair = self.tables.get(name), tables.get(name)
            if name in old_pages or name in new_pages or pair[0] != pair[1]:
                own = old_pages.get(name, set()), new_pages.get(name, set())
                pages = self._touched(before, after, pair, *own)
                yield from self._compare(before, after, pair, *pages)
        for leaf in self._leaves_of_overflow(before, after, {*old, *new}):
            owner = self._owners(after, tables, [leaf]).get(leaf)
            if owner is not None and owner in self.tables:
                pair = self.tables[owner], tables[owner]
                yield from self._compare(before, after, pair, {leaf}, {leaf})
        if self.stored.database is None:
            unowned = {n: image for n, image in after.changed.items() if n not in new}
            yield from self._written(before, after, unowned, {}, tables)

    def _apply(self, record: Record, after: Snapshot, tables: dict[str, Table]) -> None:
        slot_size = self.stored.page_size + FRAME_HEADER_SIZE
        offsets = {
            number: record.at + index * slot_size + FRAME_HEADER_SIZE
            for index, number in enumerate(record.fields["pages"])
        }
        self.stored.write(offsets, record.fields["db_pages"], after.changed_nodes)
        self.overflow |= {number: leaf for number, (leaf, _) in after.overflow.items()}
        self.tables = tables

    def _owners(
        self, snapshot: Snapshot, tables: Mapping[str, Table], numbers: Collection[int]
    ) -> dict[int, str]:
        """Map each page that is part of a table's b-tree to the name of the table."""
        owners: dict[int, str | None] = {each.root: name for name, each in tables.items()}
        for number in numbers:
            path = []
            while number not in owners:
                owners[number] = None  # ends the loop if a forged tree has a cycle
                path.append(number)
                parent = self.parents.get(number, 0)
                if number not in snapshot.node(parent)[1]:
                    break
                number = parent
            owners |= dict.fromkeys(path, owners[number])
        return {number: name for number in numbers if (name := owners[number]) is not None}

    def _touched(
        self,
        before: Snapshot,
        after: Snapshot,
        pair: tuple[Table | None, Table | None],
        old: set[int],
        new: set[int],
    ) -> tuple[set[int], set[int]]:
        """Return the changed pages of a table, before and after the transaction."""
        roots = [set[int]() if table is None else {table.root} for table in pair]
        if roots[0] != roots[1]:
            old |= roots[0]
            new |= roots[1]
        snapshots, pages = (before, after), (old, new)
        # A transaction may remove a page from a table without writing the page.
        children = [
            {child for number in pages[side] for child in snapshots[side].node(number)[1]}
            for side in (0, 1)
        ]
        waiting = [[*each] for each in children]
        while waiting[0] or waiting[1]:
            side, other = (0, 1) if waiting[0] else (1, 0)
            number = waiting[side].pop()
            is_in_both = number in children[other] and number not in pages[other]
            if number in pages[side] or is_in_both:
                continue
            pages[side].add(number)
            more = {*snapshots[side].node(number)[1]} - children[side]
            children[side] |= more
            waiting[side] += more
            if number in children[other]:
                waiting[other].append(number)
        return old, new

    def _compare(
        self,
        before: Snapshot,
        after: Snapshot,
        pair: tuple[Table | None, Table | None],
        old_pages: set[int],
        new_pages: set[int],
    ) -> Iterator[OperationRow]:
        """Yield an operation for each row that differs between old and new pages of a table."""
        known = {number for number in old_pages if self.stored.is_known(number)}
        is_known = known == old_pages and all(map(self.stored.is_known, new_pages))
        old_table, new_table = _TableRows(before, pair[0]), _TableRows(after, pair[1])
        old_rows, _ = old_table.rows(known)
        new_rows, faults = new_table.rows(new_pages)
        # Most rows of a written page are unchanged, so their values need not be decoded.
        old = old_table.by_key(row for row in old_rows if row not in new_rows)
        new = new_table.by_key(row for row in new_rows if row not in old_rows)
        keys = dict.fromkeys([*old, *new])
        is_sorted = all(isinstance(key, int) for key in keys)
        table = {"table": next(each.name for each in reversed(pair) if each is not None)}
        for key in sorted(keys) if is_sorted else keys:
            was, row = old.get(key), new.get(key)
            if row is None:
                assert was is not None
                yield {"op": "delete", **table, **old_table.shown(was)}
            elif was is None:
                yield {"op": "insert" if is_known else "write", **table, **new_table.shown(row)}
            elif changed := _changed(old_table.named(was), new_table.named(row)):
                update = {"op": "update", **table, **new_table.shown(row)}
                yield {**update, "before": _json(changed)}
        for number, fault in faults:
            yield {**table, "page": number, "fault": fault}

    def _leaves_of_overflow(self, before: Snapshot, after: Snapshot, owned: set[int]) -> list[int]:
        """Return unwritten leaves with rows whose overflow pages were overwritten in place."""
        candidates = {
            number
            for number, image in after.changed.items()
            if number not in owned
            and number not in after.overflow
            and number not in before.overflow
            and image[0] == 0
            and before.image(number)[:1] == b"\0"
        }
        candidates -= before.free_pages() if candidates else set()
        candidates -= after.free_pages() if candidates else set()
        if candidates - self.overflow.keys() and not self.has_all_overflow:
            self.has_all_overflow = True
            whole = Snapshot(self.stored)
            for table in self.tables.values():
                for number in whole.subtree([table.root]):
                    whole.rows(number)
            self.overflow = {
                **{number: leaf for number, (leaf, _) in whole.overflow.items()},
                **self.overflow,
            }
        leaves = {self.overflow[number] for number in candidates if number in self.overflow}
        return sorted(leaves - after.changed.keys())

    def _written(
        self,
        before: Snapshot,
        after: Snapshot,
        images: Mapping[int, bytes],
        owners: Mapping[int, str],
        tables: Mapping[str, Table],
    ) -> Iterator[OperationRow]:
        """Yield the rows of pages whose earlier content or whose table is unknown."""
        for number in images:
            name = owners.get(number)
            if name is None and after.node(number)[0] != "table leaf":
                continue
            rows, fault = after.rows(number)
            earlier = set(before.rows(number)[0])
            table_rows = _TableRows(after, tables[name] if name else None)
            table = {"table": name} if name else {}
            for row in rows:
                if row in earlier:
                    continue
                yield {"op": "write", **table, **table_rows.shown(row), "page": number}
            if fault is not None:
                yield {"page": number, "fault": fault}


def _by_table(owners: Mapping[int, str]) -> dict[str, set[int]]:
    pages: dict[str, set[int]] = {}
    for number, name in owners.items():
        pages.setdefault(name, set()).add(number)
    return pages


class _TableRows:
    """The rows of a table in a snapshot; ``table`` is None for rows of an unknown table."""

    def __init__(self, snapshot: Snapshot, table: Table | None) -> None:
        self.snapshot, self.table = snapshot, table

    def rows(self, pages: Iterable[int]) -> tuple[dict[Row, None], list[tuple[int, str]]]:
        """Return the rows of pages in order, and the faults of pages."""
        rows: dict[Row, None] = {}
        faults = []
        for number in sorted(pages):
            found, fault = self.snapshot.rows(number)
            rows |= dict.fromkeys(found)
            if fault is not None:
                faults.append((number, fault))
        return rows, faults

    def by_key(self, rows: Iterable[Row]) -> dict[Any, Row]:
        return {self._key(row): row for row in rows}

    def _key(self, row: Row) -> Any:
        if row.rowid is not None:
            return row.rowid
        columns, values = self._columns(row), self.snapshot.values(row)
        if columns is None or values is None:
            return row.payload
        return tuple(values[: columns.key_size])

    def _columns(self, row: Row) -> Columns | None:
        return self.table.columns(row.rowid is not None) if self.table else None

    def named(self, row: Row) -> dict[str, Value]:
        """Return the values of a row by column, or by position if the columns are unknown."""
        columns, values = self._columns(row), self.snapshot.values(row) or []
        named = columns.named(row.rowid, values) if columns else None
        return {str(n): each for n, each in enumerate(values)} if named is None else named

    def shown(self, row: Row) -> OperationRow:
        rowid = {} if row.rowid is None else {"rowid": str(row.rowid)}
        columns, values = self._columns(row), self.snapshot.values(row)
        if values is None:
            return {**rowid, "fault": "invalid record", "payload": row.payload}
        named = columns.named(row.rowid, values) if columns else None
        return {**rowid, "values": _json(values if named is None else named)}


def _changed(old: Mapping[str, Value], new: Mapping[str, Value]) -> dict[str, Value]:
    """Return the old values of the columns that are in both rows and differ."""
    return {
        name: value
        for name, value in old.items()
        if name in new and (type(value), value) != (type(new[name]), new[name])
    }


def _json(value: Any) -> Any:
    """Convert values for JSON; a value that JSON lacks becomes an object with one key."""
    if isinstance(value, Mapping):
        return {name: _json(each) for name, each in value.items()}
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, int) and abs(value) > _MAX_JSON_INTEGER:
        return {"integer": str(value)}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return {"real": str(value)}
    if isinstance(value, list | tuple):
        return [_json(each) for each in value]
    return value
