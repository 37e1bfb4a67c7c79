"""Recipes of the Zeebe journal, a file for each kind of fault."""

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
"""How a log of this format is begun."""

SUFFIX = ".log"
"""How its name ends, unless a recipe says otherwise."""

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
