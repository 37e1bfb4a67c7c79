"""Recipes of LevelDB logs, grouped by subject."""

from conformance.recipes.leveldb_log import (
    appending,
    checksum,
    dialects,
    fragments,
    layout,
    lengths,
    limits,
    resync,
    tails,
    types,
    writing,
    zeros,
)
from conformance.recipes.leveldb_log.log import BOOK, LevelDBLog

NewLog = LevelDBLog
"""The constructor of a log."""

SUFFIX = ".log"
"""The default extension of a log's name."""

__all__ = [
    "BOOK",
    "SUFFIX",
    "NewLog",
    "appending",
    "checksum",
    "dialects",
    "fragments",
    "layout",
    "lengths",
    "limits",
    "resync",
    "tails",
    "types",
    "writing",
    "zeros",
]
