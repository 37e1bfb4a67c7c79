"""Recipes of the systemd journal, a file for each column of the matrix."""

from conformance.recipes.systemd_journal import (
    chains,
    combinations,
    compression,
    data,
    entries,
    header,
    indexes,
    layouts,
    queries,
    seals,
    tails,
    writing,
)
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog

__all__ = [
    "BOOK",
    "SystemdLog",
    "chains",
    "combinations",
    "compression",
    "data",
    "entries",
    "header",
    "indexes",
    "layouts",
    "queries",
    "seals",
    "tails",
    "writing",
]
