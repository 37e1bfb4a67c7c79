"""Columns of LevelDB records. The format defines no additional fields."""

from __future__ import annotations

from walproof.scan.columns import Column

COLUMNS: tuple[Column, ...] = ()
