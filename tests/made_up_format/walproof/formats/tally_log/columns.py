"""The fields that a record of a tally log has beside its payload."""

from __future__ import annotations

import pyarrow as pa

from walproof.scan.columns import Column

COLUMNS = (Column("count", pa.int64(), "number of the record, from 1"),)
