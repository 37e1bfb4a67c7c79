"""Recipes of the KahaDB journal, a file for each column of the matrix."""

from conformance.recipes.kahadb_journal import (
    appending,
    checksum,
    doubt,
    edges,
    endings,
    folders,
    headers,
    layout,
    limits,
    names,
    passed_over,
    places,
    preallocation,
    proven,
    readings,
    records,
    resuming,
    resync,
    siblings,
    sizes,
    torn,
    unfinished,
    writing,
)
from conformance.recipes.kahadb_journal.log import BOOK, KahaDBLog

NewLog = KahaDBLog
"""The class that builds a log of this format."""

SUFFIX = ".log"
"""The default file extension of a log."""

__all__ = [
    "BOOK",
    "SUFFIX",
    "NewLog",
    "appending",
    "checksum",
    "doubt",
    "edges",
    "endings",
    "folders",
    "headers",
    "layout",
    "limits",
    "names",
    "passed_over",
    "places",
    "preallocation",
    "proven",
    "readings",
    "records",
    "resuming",
    "resync",
    "siblings",
    "sizes",
    "torn",
    "unfinished",
    "writing",
]
