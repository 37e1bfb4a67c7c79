"""Recipes of SQLite's write-ahead log, a file for each group of vectors."""

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
"""The function that begins a log of this format."""

SUFFIX = ".db-wal"
"""The default ending of its name."""

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
