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
"""The function that begins a log of this format."""

SUFFIX = ".log"
"""The default ending of its name."""

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
