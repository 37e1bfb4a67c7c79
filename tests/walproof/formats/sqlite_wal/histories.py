"""Databases that SQLite wrote, with the rows of all tables after each transaction."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

#: Maps each table to its rows by rowid or key. Each row maps its columns to values.
State = dict[str, dict[Any, dict[str, Any]]]


class History:
    """A WAL-mode database that is written but never checkpointed."""

    def __init__(
        self, path: Path, setup: str = "", page_size: int = 4096, before: str = ""
    ) -> None:
        """Create a database. ``setup`` has pragmas, and ``before`` has statements to checkpoint."""
        self.path = path
        self.connection = sqlite3.connect(path, isolation_level=None)
        run = self.connection.executescript
        run(f"PRAGMA page_size = {page_size}; {setup}; PRAGMA journal_mode = WAL; {before}")
        run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0")
        #: The rows before the first transaction of the log, and after each transaction.
        self.states = [self.state()]

    @property
    def log(self) -> Path:
        """The path of the log."""
        return self.path.with_name(f"{self.path.name}-wal")

    def step(self, script: str, *parameters: Any) -> None:
        """Run statements as one transaction."""
        size = self.log.stat().st_size
        if parameters:
            self.connection.execute("BEGIN")
            self.connection.execute(script, parameters)
            self.connection.execute("COMMIT")
        else:
            self.connection.executescript(f"BEGIN; {script}; COMMIT")
        if self.log.stat().st_size != size:
            self.states.append(self.state())

    def close(self, to: Path) -> Path:
        """Copy the database, log and index, then close the database; return the log's copy."""
        for end in ("", "-wal", "-shm"):
            path = self.path.with_name(f"{self.path.name}{end}")
            if path.exists():
                shutil.copy(path, to / path.name)
        self.connection.close()
        return to / self.log.name

    def state(self) -> State:
        """Return the rows of all tables."""
        return state_of(self.connection)


def state_of(connection: sqlite3.Connection) -> State:
    """Return the rows of all tables of a database."""
    state: State = {}
    select = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
    tables = [("sqlite_schema", ""), *connection.execute(select)]
    for name, sql in tables:
        source = "sqlite_master" if name == "sqlite_schema" else f'"{name}"'
        if "WITHOUT ROWID" in sql.upper():
            select = "SELECT name FROM pragma_table_xinfo(?) WHERE pk ORDER BY pk"
            keys = [column for (column,) in connection.execute(select, (name,))]
            found = connection.execute(f"SELECT * FROM {source}")
        else:
            keys = ["rowid"]
            found = connection.execute(f"SELECT rowid AS rowid_, * FROM {source}")
        names = [each[0] for each in found.description]
        rows = {}
        for values in found:
            row = dict(zip(names, values, strict=True))
            key = row.pop("rowid_") if keys == ["rowid"] else tuple(row[column] for column in keys)
            rows[key] = row
        state[name] = rows
    return state


def state_at(path: Path) -> State:
    """Return the rows of all tables of a database file."""
    with closing(sqlite3.connect(path)) as connection:
        return state_of(connection)


def random_history(history: History, chance: random.Random, steps: int) -> None:
    """Write rows of all types and sizes, and change the schema. Each seed gives one history."""
    history.connection.create_function("random", 0, lambda: chance.getrandbits(63))
    sizes = [0, 1, 5, 40, 200, 1000, 5000]

    def text() -> str:
        return "".join(chance.choices("aZ0 äß漢€🙂", k=chance.choice(sizes[:6])))

    def value() -> Any:
        makers: list[Callable[[], Any]] = [
            lambda: None,
            lambda: chance.choice([0, 1, -1, 127, -129, 40_000, 1 << 23, -(1 << 31), 1 << 40]),
            lambda: chance.choice([1 << 62, -(1 << 63), (1 << 53) + 1]),
            lambda: chance.choice([0.5, 3.0, -1e300, float("inf")]),
            text,
            lambda: chance.randbytes(chance.choice(sizes)),
        ]
        return chance.choice(makers)()

    tables: dict[str, int] = {}
    for step in range(steps):
        run = history.connection.execute
        run("BEGIN")
        for _ in range(chance.choice([1, 1, 2, 10, 60])):
            action = chance.random()
            if not tables or action < 0.02:
                name = f"t{step}x{len(tables)}"
                if name in tables:
                    continue
                kind = chance.randrange(4)
                run(
                    f"CREATE TABLE {name} "
                    + (
                        "(id INTEGER PRIMARY KEY, a, b REAL, c TEXT)",
                        "(a, b, c)",
                        "(a, b NOT NULL DEFAULT 'd', c, PRIMARY KEY(b, a)) WITHOUT ROWID",
                        "(id INTEGER PRIMARY KEY AUTOINCREMENT, a, b UNIQUE, c)",
                    )[kind]
                )
                tables[name] = kind
                continue
            name = chance.choice(sorted(tables))
            kind = tables[name]
            if action < 0.6:
                columns = "a, b, c"
                run(
                    f"INSERT OR REPLACE INTO {name}({columns}) VALUES(?, ?, ?)",
                    (value() or 0, value() or step, value()),
                )
            elif action < 0.75:
                column = chance.choice("abc")
                new = value() or chance.random()
                order = f"SELECT {column} FROM {name} ORDER BY random() LIMIT 3"
                run(
                    f"UPDATE OR REPLACE {name} SET {column} = ? WHERE {column} IN ({order})", (new,)
                )
            elif action < 0.9:
                rows = f"SELECT c FROM {name} ORDER BY random() LIMIT {chance.choice([1, 5, 40])}"
                run(f"DELETE FROM {name} WHERE c IN ({rows})")
            elif action < 0.92:
                run(f"DELETE FROM {name}")
            elif action < 0.94:
                run(f"DROP TABLE {name}")
                del tables[name]
            elif action < 0.96:
                run(f"CREATE INDEX IF NOT EXISTS i_{name} ON {name}(c, a)")
            else:
                run(f"UPDATE {name} SET c = zeroblob(length(c)) WHERE typeof(c) = 'blob'")
        size = history.log.stat().st_size if history.log.exists() else 0
        run("COMMIT")
        if history.log.stat().st_size != size:
            history.states.append(history.state())
        if not chance.randrange(12):
            size = history.log.stat().st_size
            run("VACUUM")
            if history.log.stat().st_size != size:
                history.states.append(history.state())
