"""Writing a Parquet file holds at most one row group in memory."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from walproof.tables.parquet import JOINED_BATCHES, ParquetFile

SCHEMA = pa.schema([("number", pa.int64()), ("text", pa.string())])
MAX_HELD_BYTES = 48 << 20


@pytest.mark.parametrize(("rows", "width"), [(1, 1 << 16), (1 << 12, 50), (1 << 16, 1)])
def test_memory_is_bounded(rows: int, width: int, tmp_path: Path) -> None:
    batch = pa.RecordBatch.from_arrays(
        [pa.array(range(rows), pa.int64()), pa.repeat("x" * width, rows)], schema=SCHEMA
    )
    count = 3 * MAX_HELD_BYTES // batch.nbytes
    all_rows = pa.array(range(rows))
    before, peak = pa.total_allocated_bytes(), 0
    with ParquetFile(tmp_path / "a.parquet", SCHEMA) as file:
        for _ in range(count):
            # ``take`` allocates memory for each batch, as a reader does.
            file.add(batch.take(all_rows))
            peak = max(peak, pa.total_allocated_bytes() - before)
        file.finish()
    assert peak <= MAX_HELD_BYTES
    written = pq.ParquetFile(tmp_path / "a.parquet").metadata
    assert written.num_rows == count * rows and written.num_row_groups > 1


def test_an_error_leaves_no_file(tmp_path: Path) -> None:
    batch = pa.record_batch([pa.array([1]), pa.array(["x"])], schema=SCHEMA)
    with (
        pytest.raises(RuntimeError),
        ParquetFile(tmp_path / "a.parquet", SCHEMA) as file,
    ):
        file.add(batch)
        file._write_group()
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_rows_has_its_schema_and_metadata(tmp_path: Path) -> None:
    with ParquetFile(tmp_path / "a.parquet", SCHEMA) as file:
        assert not file.has_rows
        file.finish({"key": "value"})
    table = pq.read_table(tmp_path / "a.parquet")
    assert (table.num_rows, table.schema.names) == (0, SCHEMA.names)
    assert pq.read_metadata(tmp_path / "a.parquet").metadata[b"key"] == b"value"


def test_small_batches_are_joined_in_their_order(tmp_path: Path) -> None:
    """Small batches are joined, because a batch of one row takes a few thousand bytes."""
    count = 2 * JOINED_BATCHES + 3
    with ParquetFile(tmp_path / "a.parquet", SCHEMA) as file:
        for number in range(count):
            file.add(pa.record_batch([pa.array([number]), pa.array(["x"])], schema=SCHEMA))
            assert len(file._batches) <= JOINED_BATCHES
        file.finish()
    assert pq.read_table(tmp_path / "a.parquet")["number"].to_pylist() == list(range(count))
