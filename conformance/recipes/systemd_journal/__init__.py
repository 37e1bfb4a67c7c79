"""Recipes of the systemd journal, one file for each subject."""

from conformance.recipes.systemd_journal import (
    budgets,
    chains,
    combinations,
    compression,
    consequences,
    data,
    entries,
    far_links,
    first_object,
    header,
    indexes,
    layouts,
    limits,
    lz4_blocks,
    online,
    options,
    packed,
    queries,
    readings,
    records,
    refusing,
    resuming,
    seals,
    shares,
    steps,
    tables,
    tails,
    writing,
)
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog

NewLog = SystemdLog
"""The function that begins a log of this format."""

SUFFIX = ".journal"
"""The default suffix of the file name of a log."""

__all__ = [
    "BOOK",
    "SUFFIX",
    "NewLog",
    "budgets",
    "chains",
    "combinations",
    "compression",
    "consequences",
    "data",
    "entries",
    "far_links",
    "first_object",
    "header",
    "indexes",
    "layouts",
    "limits",
    "lz4_blocks",
    "online",
    "options",
    "packed",
    "queries",
    "readings",
    "records",
    "refusing",
    "resuming",
    "seals",
    "shares",
    "steps",
    "tables",
    "tails",
    "writing",
]
