"""Recipes of the Zeebe journal, a file for each kind of fault."""

from conformance.recipes.zeebe_journal import (
    descriptors,
    layout,
    numbers,
    raft,
    records,
    segments,
    tails,
    writing,
)
from conformance.recipes.zeebe_journal.log import BOOK, ZeebeLog

__all__ = [
    "BOOK",
    "ZeebeLog",
    "descriptors",
    "layout",
    "numbers",
    "raft",
    "records",
    "segments",
    "tails",
    "writing",
]
