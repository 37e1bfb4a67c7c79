"""Recipes of the KahaDB journal, a file for each column of the matrix."""

from conformance.recipes.kahadb_journal import (
    appending,
    checksum,
    endings,
    folders,
    headers,
    layout,
    limits,
    preallocation,
    records,
    resync,
    siblings,
    sizes,
    torn,
    writing,
)
from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog

__all__ = [
    "BOOK",
    "KahaDBLog",
    "appending",
    "checksum",
    "endings",
    "folders",
    "headers",
    "layout",
    "limits",
    "preallocation",
    "records",
    "resync",
    "siblings",
    "sizes",
    "torn",
    "writing",
]
