"""What a record of a tally log adds to its payload."""

from __future__ import annotations

import pyarrow as pa

from walproof.scan.columns import Column

COLUMNS = (Column("count", pa.int64(), "number of the record, from 1"),)
