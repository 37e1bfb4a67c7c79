"""Recipes for vectors of the Zeebe journal, by kind of fault."""

from conformance.recipes.zeebe_journal import (
    appending,
    beginning,
    continuing,
    descriptors,
    edges,
    handover,
    layout,
    meta,
    numbers,
    raft,
    records,
    refusing,
    segments,
    tails,
    writing,
)
from conformance.recipes.zeebe_journal.log import BOOK, ZeebeLog

NewLog = ZeebeLog
"""The class that builds a log of this format."""

SUFFIX = ".log"
"""The default extension of a log file."""

__all__ = [
    "BOOK",
    "SUFFIX",
    "NewLog",
    "appending",
    "beginning",
    "continuing",
    "descriptors",
    "edges",
    "handover",
    "layout",
    "meta",
    "numbers",
    "raft",
    "records",
    "refusing",
    "segments",
    "tails",
    "writing",
]
