"""Recipes of SQLite's write-ahead log, a file for each column of the matrix."""

from conformance.recipes.sqlite_wal import layout
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog

NewLog = SqliteLog
"""How a log of this format is begun."""

SUFFIX = ".db-wal"
"""How its name ends, unless a recipe says otherwise."""

__all__ = ["BOOK", "SUFFIX", "NewLog", "layout"]
