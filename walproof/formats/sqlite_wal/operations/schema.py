"""Read the tables of a database and their columns from the schema.

Upstream authority: sqlite/sqlite ``src/prepare.c`` (``sqlite3InitCallback``), ``src/build.c``
(``convertToWithoutRowidTable``), sqlite.org ``datatype3.html`` section 3.1.
"""

from __future__ import annotations

import functools
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

from walproof.formats.sqlite_wal.pages import Value

#: The name of the table of all tables, whose root is page 1.
SCHEMA = "sqlite_schema"
_SCHEMA_COLUMNS = ("type", "name", "tbl_name", "rootpage", "sql")
_VIRTUAL = 2
_REAL = re.compile(r"REAL|FLOA|DOUB", re.IGNORECASE)
_NOT_REAL = re.compile(r"INT|CHAR|CLOB|TEXT|BLOB", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """A stored column with its declared type and the expression of its DEFAULT clause."""

    name: str
    type: str = ""
    default: str | None = None

    def value(self, stored: Value) -> Value:
        """Return a stored value as SQLite reads it: reals may be stored as integers."""
        is_real = _REAL.search(self.type) and not _NOT_REAL.search(self.type)
        return float(stored) if is_real and isinstance(stored, int) else stored


@dataclass(frozen=True)
class Columns:
    """The columns of a table."""

    #: Columns in the order of the records.
    columns: Sequence[Column]
    #: Names in the order of the declaration.
    names: Sequence[str]
    #: Position of the column that is an alias of the rowid.
    alias: int | None
    #: Number of primary key columns at the start of a record, in a table without rowids.
    key_size: int

    def named(self, rowid: int | None, values: Sequence[Value]) -> dict[str, Value] | None:
        """Return the values of a record by column; None if it has more values than columns."""
        if len(values) > len(self.columns):
            return None
        row: dict[str, Value] = {}
        for column, value in zip(self.columns, values, strict=False):
            is_alias = value is None and len(row) == self.alias
            row[column.name] = rowid if is_alias else column.value(value)
        for column in self.columns[len(values) :]:  # columns added after the row was stored
            row[column.name] = _default(column.type, column.default)
        return {name: row[name] for name in self.names}


@dataclass(frozen=True)
class Table:
    """A table: its name, root page and statement."""

    name: str
    root: int
    sql: str

    def columns(self, has_rowid: bool) -> Columns | None:
        """Return the columns; None if SQLite rejects the statement."""
        if self.name == SCHEMA:
            return Columns([*map(Column, _SCHEMA_COLUMNS)], _SCHEMA_COLUMNS, None, 0)
        return _parse(self.name, self.sql, has_rowid)


@functools.lru_cache(maxsize=1024)
def _parse(name: str, sql: str, has_rowid: bool) -> Columns | None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as scratch:
        try:
            scratch.execute("PRAGMA writable_schema = ON")
            scratch.execute("CREATE TABLE root(x)")  # its root page is page 2
            scratch.execute("DELETE FROM sqlite_master")
            row = ("table", name, name, 2, sql)
            scratch.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", row)
            scratch.execute("PRAGMA writable_schema = RESET")
            select = "SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)"
            found = scratch.execute(select, (name,)).fetchall()
            indexes = "SELECT count(*) FROM pragma_index_list(?) WHERE origin = 'pk'"
            ((has_key_index,),) = scratch.execute(indexes, (name,))
        except sqlite3.Error:
            return None
    stored = [each for each in found if each[4] != _VIRTUAL]
    keys = [each for each in stored if each[3]]
    names = [each[0] for each in stored]
    if not has_rowid:
        stored = sorted(keys, key=lambda each: int(each[3])) + [
            each for each in stored if not each[3]
        ]
    is_alias = (
        has_rowid and len(keys) == 1 and keys[0][1].upper() == "INTEGER" and not has_key_index
    )
    columns = [Column(*each[:3]) for each in stored]
    alias = stored.index(keys[0]) if is_alias else None
    return Columns(columns, names, alias, 0 if has_rowid else len(keys)) if columns else None


@functools.lru_cache(maxsize=1024)
def _default(declared: str, default: str | None) -> Value:
    """Return the value of a DEFAULT clause, with the affinity of its column."""
    if default is None:
        return None
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as scratch:
        try:
            scratch.set_authorizer(_allow_only_constants)
            scratch.execute(f"CREATE TABLE d(c {declared} DEFAULT {default})")
            scratch.execute("INSERT INTO d DEFAULT VALUES")
            ((value,),) = scratch.execute("SELECT c FROM d").fetchall()
        except (sqlite3.Error, sqlite3.Warning):
            return None
    result: Value = value
    return result


def _allow_only_constants(action: int, *_: str | None) -> int:
    allowed = (
        sqlite3.SQLITE_CREATE_TABLE,
        sqlite3.SQLITE_INSERT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_UPDATE,
        sqlite3.SQLITE_TRANSACTION,
    )
    return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY
