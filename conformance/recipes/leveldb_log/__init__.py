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

NewLog = LevelDBLog
"""How a log of this format is begun."""

SUFFIX = ".log"
"""How its name ends, unless a recipe says otherwise."""

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
