"""The fields that a record of a tally log has in addition to its payload."""

from __future__ import annotations

from walproof.scan.columns import Column

COLUMNS = (Column("count", "int64", "number of the record, from 1"),)
