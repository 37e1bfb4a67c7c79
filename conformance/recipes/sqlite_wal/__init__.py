"""Recipes of SQLite write-ahead logs, with one module for each group of vectors."""

from conformance.recipes.sqlite_wal import (
    appending,
    broken_padding,
    byte_orders,
    corner_cases,
    damaged_padding,
    forged_links,
    frames,
    generations,
    headers,
    layout,
    links,
    padding,
    refusing,
    repetitions,
    salts,
    tails,
    writing,
    zero_salts,
)
from conformance.recipes.sqlite_wal.log import BOOK, SqliteLog

NewLog = SqliteLog
"""The class that builds a log of this format."""

SUFFIX = ".db-wal"
"""The default ending of the name of a log."""

__all__ = [
    "BOOK",
    "SUFFIX",
    "NewLog",
    "appending",
    "broken_padding",
    "byte_orders",
    "corner_cases",
    "damaged_padding",
    "forged_links",
    "frames",
    "generations",
    "headers",
    "layout",
    "links",
    "padding",
    "refusing",
    "repetitions",
    "salts",
    "tails",
    "writing",
    "zero_salts",
]
