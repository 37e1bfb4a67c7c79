"""A record of a LevelDB log has no fields of its own."""

from __future__ import annotations

from walproof.scan.columns import Column

COLUMNS: tuple[Column, ...] = ()
