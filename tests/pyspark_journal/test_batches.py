"""Batches are joined in order, up to a limit of rows and bytes."""

from __future__ import annotations

import pyarrow as pa
import pytest

from walproof.log_rows import joined
from walproof.scanners.model import MAX_BYTES, PIECE_ROWS


@pytest.mark.parametrize(
    ("given", "size", "expected"),
    [
        ([], 1, []),
        ([0], 1, []),
        ([1] * 100, 1, [100]),
        ([PIECE_ROWS, 3, 2048, PIECE_ROWS, 5, 6], 1, [PIECE_ROWS, 3 + 2048 + PIECE_ROWS, 11]),
        ([1, 1, 1], MAX_BYTES // 2, [1, 1, 1]),
        ([1, 1, 1], MAX_BYTES // 3, [2, 1]),
    ],
)
def test_batches_are_joined(given: list[int], size: int, expected: list[int]) -> None:
    batches, first = [], 0
    for count in given:
        numbers = pa.array(range(first, first + count), pa.int64())
        data = pa.array([bytes(size)] * count, pa.binary())
        batches.append(pa.record_batch({"number": numbers, "data": data}))
        first += count
    result = list(joined(batches))
    assert [batch.num_rows for batch in result] == expected
    assert [number for batch in result for number in batch["number"].to_pylist()] == [*range(first)]
