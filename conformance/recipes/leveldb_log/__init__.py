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
"""The function that begins a log of this format."""

SUFFIX = ".log"
"""The default ending of its name."""

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
