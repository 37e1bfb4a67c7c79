"""Batches are bounded, and small ones are joined: all rows in their order."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from walproof.scan.model import PIECE_ROWS
from walproof.tables.batches import BATCH_BYTES, bounded


@pytest.mark.parametrize(
    ("given", "size", "expected"),
    [
        ([], 1, []),
        ([0], 1, []),
        ([1] * 100, 1, [100]),
        ([PIECE_ROWS - 1, 2], 1, [PIECE_ROWS - 1, 2]),
        ([3, 2048, PIECE_ROWS, PIECE_ROWS // 2 + 1, 5, 6], 1,
         [2051, PIECE_ROWS, PIECE_ROWS // 2 + 1, 11]),
        ([2 * PIECE_ROWS], 1, [PIECE_ROWS, PIECE_ROWS]),
        ([1, 1], BATCH_BYTES * 3, [1, 1]),
        ([4], BATCH_BYTES, [1, 1, 1, 1]),
    ],
)  # fmt: skip
def test_batches_are_bounded(given: list[int], size: int, expected: list[int]) -> None:
    batches, first = [], 0
    for count in given:
        numbers = pa.array(range(first, first + count), pa.int64())
        data = pa.array([bytes(size)] * count, pa.binary())
        batches.append(pa.record_batch({"number": numbers, "data": data}))
        first += count
    result = list(bounded(batches))
    assert [batch.num_rows for batch in result] == expected
    assert [number for batch in result for number in batch["number"].to_pylist()] == [*range(first)]


def test_a_large_batch_is_passed_on_at_once() -> None:
    """The next batch is requested after the memory of the previous one is free."""
    requested = []

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(3):
            requested.append(number)
            data = pa.array([bytes(BATCH_BYTES // 2 + 1)], pa.binary())
            yield pa.RecordBatch.from_arrays([data], ["data"])

    result = bounded(batches())
    for number in range(3):
        assert next(result).num_rows == 1
        assert requested == list(range(number + 1))
    assert next(result, None) is None
