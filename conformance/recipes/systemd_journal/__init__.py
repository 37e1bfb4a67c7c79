"""Recipes of the systemd journal, a file for each column of the matrix."""

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
"""How a log of this format is begun."""

SUFFIX = ".journal"
"""How its name ends, unless a recipe says otherwise."""

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
