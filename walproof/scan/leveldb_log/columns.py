"""A record of a LevelDB log has no fields of its own."""

from __future__ import annotations

from reference_impl.answer import Record
from walproof.scan.columns import Column

COLUMNS: tuple[Column, ...] = ()


def in_full(record: Record) -> Record:
    """The record: its columns are all its fields."""
    return record
