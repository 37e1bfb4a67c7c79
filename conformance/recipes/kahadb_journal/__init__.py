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
"""How a log of this format is begun."""

SUFFIX = ".log"
"""How its name ends, unless a recipe says otherwise."""

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
