"""The rows that each transaction of a log inserted, updated or deleted.

The rows of a transaction follow from the pages that it wrote, and from the same pages before it:
those of the database beside the log, or of earlier transactions. A page that a checkpoint may have
copied into the database already is not known as it was before; its rows are shown as written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from reference_impl.answer import Record
from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE
from walproof.decode.operations import Operations as AnyOperations
from walproof.decode.operations import Row as OperationRow
from walproof.formats.sqlite_wal.decoder.pages import DB_HEADER_SIZE, DatabaseHeader, Value
from walproof.formats.sqlite_wal.operations.database import Row, Snapshot, StoredPages
from walproof.formats.sqlite_wal.operations.schema import SCHEMA, Columns, Table
from walproof.formats.sqlite_wal.wal_index import is_untouched

#: Whole numbers up to this size are numbers in JSON.
_MAX_JSON_INTEGER = 1 << 53
_SUFFIX = "-wal"


class Operations(AnyOperations):
    """See :class:`walproof.decode.operations.Operations`: a row for each row of a table.

    ``before`` has the earlier values of the columns that an update changed.
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
            self._histories[record.file] = _History(log, _page_size(record))
        return iter(self._histories[record.file].operations(record))


def _page_size(record: Record) -> int:
    return record.size // len(record.fields["pages"]) - FRAME_HEADER_SIZE


def _database_of(log: Path, page_size: int) -> Path | None:
    """Return the database beside a log, if there is one with these pages. Raises ``OSError``."""
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
        self.nodes: dict[int, tuple[str, tuple[int, ...]]] = {}
        self.parents: dict[int, int] = {}
        self.overflow: dict[int, int] = {}
        self.has_all_overflow = False
        before = Snapshot(self.stored, self.nodes, {})
        self.tables = before.tables()
        for table in self.tables.values():
            self.parents |= before.links(table.root)

    def operations(self, record: Record) -> list[OperationRow]:
        """Return the operations of a transaction, and apply it unless it is marked."""
        numbers, page_size = record.fields["pages"], self.stored.page_size
        images = {
            number: record.payload[index * page_size : (index + 1) * page_size]
            for index, number in enumerate(numbers)
        }
        before = Snapshot(self.stored, self.nodes, {})
        after = Snapshot(self.stored, self.nodes, images)
        if record.fields.get("after_loss"):
            owners = self._owners(after, self.tables, images)
            return [*self._written(after, images, owners, self.tables)]
        old = self._owners(before, self.tables, images)
        for number in images:
            self.parents |= dict.fromkeys(after.node(number)[1], number)
        has_schema = 1 in images or SCHEMA in old.values()
        tables = after.tables() if has_schema else self.tables
        new = self._owners(after, tables, images)
        operations: list[OperationRow] = []
        for name in dict.fromkeys([*tables, *self.tables]):
            pair = self.tables.get(name), tables.get(name)
            pages = self._touched(before, after, pair, _of(old, name), _of(new, name))
            operations += self._compare(before, after, pair, *pages)
        for leaf in self._leaves_of_overflow(before, after, {*old, *new}):
            owner = self._owners(after, tables, [leaf]).get(leaf)
            if owner is not None and owner in self.tables:
                pair = self.tables[owner], tables[owner]
                operations += self._compare(before, after, pair, {leaf}, {leaf})
        if self.stored.database is None:
            unowned = {number: images[number] for number in images if number not in new}
            operations += self._written(after, unowned, {}, tables)
        self._apply(record, after, tables)
        return operations

    def _apply(self, record: Record, after: Snapshot, tables: dict[str, Table]) -> None:
        slot_size = self.stored.page_size + FRAME_HEADER_SIZE
        offsets = {
            number: record.at + index * slot_size + FRAME_HEADER_SIZE
            for index, number in enumerate(record.fields["pages"])
        }
        self.stored.write(offsets, record.fields["db_pages"])
        for number in offsets:
            self.nodes.pop(number, None)
        self.nodes |= after.changed_nodes
        self.overflow |= {number: leaf for number, (leaf, _) in after.overflow.items()}
        self.tables = tables

    def _owners(
        self, snapshot: Snapshot, tables: Mapping[str, Table], numbers: Iterable[int]
    ) -> dict[int, str]:
        """Return the table of each page that is part of a table's b-tree."""
        roots = {table.root: name for name, table in tables.items()}
        owners = {}
        for number in numbers:
            page, seen = number, set[int]()
            while page not in roots and page not in seen:
                seen.add(page)
                parent = self.parents.get(page, 0)
                if page not in snapshot.node(parent)[1]:
                    break
                page = parent
            if page in roots:
                owners[number] = roots[page]
        return owners

    def _touched(
        self,
        before: Snapshot,
        after: Snapshot,
        pair: tuple[Table | None, Table | None],
        old: set[int],
        new: set[int],
    ) -> tuple[set[int], set[int]]:
        """Return the pages of a table before and after, without those that stayed as they are.

        ``old`` and ``new`` are its pages that the transaction wrote. A page that left the table
        need not be written. The children of both sides tell which ones joined or left it.
        """
        roots = [set[int]() if table is None else {table.root} for table in pair]
        if roots[0] != roots[1]:
            old |= roots[0]
            new |= roots[1]
        children = [
            {child for number in pages for child in snapshot.node(number)[1]}
            for snapshot, pages in ((before, old), (after, new))
        ]
        while True:
            gone = {
                number for number in children[0] - old if number not in children[1] or number in new
            }
            if gone:
                old |= gone
                children[0] |= {child for number in gone for child in before.node(number)[1]}
                continue
            came = {
                number for number in children[1] - new if number not in children[0] or number in old
            }
            if not came:
                return old, new
            new |= came
            children[1] |= {child for number in came for child in after.node(number)[1]}

    def _compare(
        self,
        before: Snapshot,
        after: Snapshot,
        pair: tuple[Table | None, Table | None],
        old_pages: set[int],
        new_pages: set[int],
    ) -> Iterator[OperationRow]:
        """Yield the rows that differ between the pages of a table before and after."""
        known = {number for number in old_pages if self.stored.is_known(number)}
        is_known = known == old_pages and all(map(self.stored.is_known, new_pages))
        table = pair[1] or pair[0]
        assert table is not None
        old, _ = _rows_of(before, pair[0], known)
        new, faults = _rows_of(after, pair[1], new_pages)
        keys = dict.fromkeys([*old, *new])
        is_sorted = all(isinstance(key, int) for key in keys)
        for key in sorted(keys) if is_sorted else keys:
            (was, was_named), (row, named) = old.get(key, _NONE), new.get(key, _NONE)
            result: OperationRow = {"table": table.name}
            if row is None:
                assert was is not None
                yield {"op": "delete", **result, **_shown(was, was_named)}
            elif was is None:
                yield {"op": "insert" if is_known else "write", **result, **_shown(row, named)}
            elif was.payload != row.payload and (
                changed := _changed(_by_name(was, was_named), _by_name(row, named))
            ):
                update = {"op": "update", **result, **_shown(row, named)}
                yield {**update, "before": _json(changed)}
        for number, fault in faults:
            yield {"table": table.name, "page": number, "fault": fault}

    def _leaves_of_overflow(self, before: Snapshot, after: Snapshot, owned: set[int]) -> list[int]:
        """Return unwritten leaves with a row whose overflow pages were overwritten in place."""
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
            whole = Snapshot(self.stored, self.nodes, {})
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
        after: Snapshot,
        images: Mapping[int, bytes],
        owners: Mapping[int, str],
        tables: Mapping[str, Table],
    ) -> Iterator[OperationRow]:
        """Yield the rows of pages whose earlier content, or whose table, is not known."""
        for number in images:
            name = owners.get(number)
            if name is None and after.node(number)[0] != "table leaf":
                continue
            rows, fault = after.rows(number)
            for row in rows:
                columns = tables[name].columns(row.rowid is not None) if name else None
                named = columns.named(row.rowid, row.values) if columns else None
                table = {"table": name} if name else {}
                yield {"op": "write", **table, **_shown(row, named), "page": number}
            if fault is not None:
                yield {"page": number, "fault": fault}


_Named = dict[str, Value] | None
_NONE: tuple[Row | None, _Named] = (None, None)


def _of(owners: Mapping[int, str], name: str) -> set[int]:
    return {number for number, owner in owners.items() if owner == name}


def _rows_of(
    snapshot: Snapshot, table: Table | None, pages: Iterable[int]
) -> tuple[dict[Any, tuple[Row | None, _Named]], list[tuple[int, str]]]:
    """Return the rows of pages by key, with their values by column, and the faults of pages."""
    rows: dict[Any, tuple[Row | None, _Named]] = {}
    faults = []
    for number in sorted(pages):
        found, fault = snapshot.rows(number)
        for row in found:
            columns = table.columns(row.rowid is not None) if table else None
            named = columns.named(row.rowid, row.values) if columns else None
            rows[_key(row, columns)] = row, named
        if fault is not None:
            faults.append((number, fault))
    return rows, faults


def _key(row: Row, columns: Columns | None) -> Any:
    if row.rowid is not None:
        return row.rowid
    size = columns.key_size if columns else len(row.values)
    return tuple((type(value), value) for value in row.values[:size])


def _by_name(row: Row, named: _Named) -> dict[str, Value]:
    return named if named is not None else {str(n): each for n, each in enumerate(row.values)}


def _changed(old: Mapping[str, Value], new: Mapping[str, Value]) -> dict[str, Value]:
    """Return the earlier values of the columns that differ, among those that both have."""
    return {
        name: value
        for name, value in old.items()
        if name in new and (type(value), value) != (type(new[name]), new[name])
    }


def _shown(row: Row, named: _Named) -> OperationRow:
    rowid = {} if row.rowid is None else {"rowid": str(row.rowid)}
    return {**rowid, "values": _json(named if named is not None else row.values)}


def _json(value: Any) -> Any:
    """Return values for JSON; those that JSON lacks are an object with one key."""
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
