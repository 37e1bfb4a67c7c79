"""Connections to libraries that support SQLite's SQL, each with ``execute`` and ``close``."""

from __future__ import annotations

import ctypes
import json
import os
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol


class SQLError(Exception):
    """Raised with the message of the library if it returns an error."""


class Connection(Protocol):
    """An open database outside a transaction.

    SQLite writes the result of a recovery to the wal-index, the file ``NAME-shm``.
    """

    has_wal_index: bool = True
    homepage = "https://sqlite.org"
    issues = "https://sqlite.org/forum"

    def __init__(self, path: Path) -> None: ...

    def execute(self, sql: str, *values: int | bytes) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows. All values are integers."""

    def close(self) -> None:
        """Close the connection, which checkpoints the log."""


def library() -> ctypes.CDLL:
    """Load the library that the environment names."""
    return ctypes.CDLL(os.environ["SQLITE_LIBRARY"])


class CSQLite(Connection):
    """SQLite's C interface."""

    OK, ROW, DONE = 0, 100, 101
    #: Flags of sqlite3_open_v2.
    READ_ONLY, READ_WRITE, CREATE, URI = 1, 2, 4, 64
    FLAGS = READ_WRITE | CREATE

    def __init__(self, path: Path) -> None:
        self.open(bytes(path))

    def open(self, name: bytes) -> None:
        """Open a database with the flags of the class."""
        self.c = library()
        self.c.sqlite3_errmsg.restype = ctypes.c_char_p
        self.c.sqlite3_column_int64.restype = ctypes.c_int64
        self.db = ctypes.c_void_p()
        self.check(self.c.sqlite3_open_v2(name, ctypes.byref(self.db), self.FLAGS, None))

    @staticmethod
    def version() -> str:
        """Return the version that the library itself states."""
        libversion = library().sqlite3_libversion
        libversion.restype = ctypes.c_char_p
        return str(libversion().decode())

    def check(self, code: int) -> None:
        """Raise :class:`SQLError` if a function returned an error."""
        if code not in (self.OK, self.ROW, self.DONE):
            message = self.c.sqlite3_errmsg(self.db).decode(errors="backslashreplace")
            raise SQLError(f"{message} ({code})")

    def execute(self, sql: str, *values: int | bytes) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        statement = ctypes.c_void_p()
        self.check(
            self.c.sqlite3_prepare_v2(self.db, sql.encode(), -1, ctypes.byref(statement), None)
        )
        try:
            for number, value in enumerate(values, 1):
                if isinstance(value, bytes):
                    self.check(self.c.sqlite3_bind_blob(statement, number, value, len(value), None))
                else:
                    integer = ctypes.c_int64(value)
                    self.check(self.c.sqlite3_bind_int64(statement, number, integer))
            rows = []
            while (code := self.c.sqlite3_step(statement)) == self.ROW:
                columns = range(self.c.sqlite3_column_count(statement))
                rows.append(tuple(self.c.sqlite3_column_int64(statement, n) for n in columns))
            self.check(code)
            return rows
        finally:
            self.c.sqlite3_finalize(statement)

    def close(self) -> None:
        """Close the connection."""
        self.check(self.c.sqlite3_close(self.db))


class ReadOnlySQLite(CSQLite):
    """A connection that does not write to the database and does not change the log."""

    FLAGS = CSQLite.READ_ONLY


class GoSQLite(Connection):
    """The interface that ``modernc-sqlite/main.go`` exports. Each reply is a JSON object."""

    homepage = "https://gitlab.com/cznic/sqlite"
    issues = "https://gitlab.com/cznic/sqlite/-/issues"

    def __init__(self, path: Path) -> None:
        self.go = library()
        self.call("Open", os.fspath(path))

    @staticmethod
    def version() -> str:
        """Return the version of the Go module."""
        exported = library().Version
        exported.restype = ctypes.c_void_p
        return ctypes.string_at(exported()).decode()

    def call(self, function: str, *arguments: Any) -> list[tuple[Any, ...]]:
        """Call an exported function and return the rows of its reply."""
        exported = getattr(self.go, function)
        exported.restype = ctypes.c_void_p
        address = exported(*(json.dumps(each).encode() for each in arguments))
        reply = json.loads(ctypes.string_at(address))
        self.go.Free(ctypes.c_void_p(address))
        if "error" in reply:
            raise SQLError(reply["error"])
        return [tuple(row) for row in reply["rows"]]

    def execute(self, sql: str, *values: int | bytes) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        return self.call("Execute", sql, [v.hex() if isinstance(v, bytes) else v for v in values])

    def close(self) -> None:
        """Close the connection."""
        self.call("Close")


class _PythonModule(Connection):
    """A module with the interface of PEP 249."""

    MODULE = DISTRIBUTION = ""

    def __init__(self, path: Path) -> None:
        module = import_module(self.MODULE)
        self.errors = (module.Error, ValueError)  # libsql raises ValueError
        try:
            self.db = module.connect(os.fspath(path), isolation_level=None)
        except self.errors as error:
            raise SQLError(str(error)) from error

    @classmethod
    def version(cls) -> str:
        """Return the version of the distribution."""
        return version(cls.DISTRIBUTION)

    def execute(self, sql: str, *values: int | bytes) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        try:
            return list(self.db.execute(sql, values).fetchall() or [])
        except self.errors as error:
            raise SQLError(str(error)) from error

    def close(self) -> None:
        """Close the connection."""
        self.db.close()


class Libsql(_PythonModule):
    """libsql of PyPI."""

    MODULE = DISTRIBUTION = "libsql"
    homepage = "https://github.com/tursodatabase/libsql"
    issues = "https://github.com/tursodatabase/libsql/issues"


class Turso(_PythonModule):
    """pyturso of PyPI."""

    MODULE, DISTRIBUTION = "turso", "pyturso"
    has_wal_index = False
    homepage = "https://github.com/tursodatabase/turso"
    issues = "https://github.com/tursodatabase/turso/issues"
