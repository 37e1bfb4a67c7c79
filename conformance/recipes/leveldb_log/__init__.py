"""Recipes of the LevelDB log, a file for each column of the matrix."""

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

__all__ = [
    "BOOK",
    "LevelDBLog",
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
