"""The rows of a unit are held a row group at a time, however many there are."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from walproof.audit.shard import Shard

SCHEMA = pa.schema([("number", pa.int64()), ("text", pa.string())])
MOST = 48 << 20


@pytest.mark.parametrize(("rows", "width"), [(1, 1 << 16), (1 << 12, 50), (1 << 16, 1)])
def test_what_is_held_is_bounded(rows: int, width: int, tmp_path: Path) -> None:
    batch = pa.RecordBatch.from_arrays(
        [pa.array(range(rows), pa.int64()), pa.repeat("x" * width, rows)], schema=SCHEMA
    )
    count = 3 * MOST // batch.nbytes
    shard = Shard(tmp_path, "a.parquet", SCHEMA)
    everything = pa.array(range(rows))
    before, most = pa.total_allocated_bytes(), 0
    for _ in range(count):
        # Batches of a reader are made one by one: each takes memory of its own.
        shard.add(batch.take(everything))
        most = max(most, pa.total_allocated_bytes() - before)
    shard.finish()
    assert most <= MOST
    written = pq.ParquetFile(tmp_path / "a.parquet").metadata
    assert written.num_rows == count * rows and written.num_row_groups > 1
