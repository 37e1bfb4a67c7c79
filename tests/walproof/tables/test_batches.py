"""Small batches are joined: all rows in their order, in few batches."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from walproof.scan.model import PIECE_ROWS
from walproof.tables.batches import BATCH_BYTES, JOINED_BATCHES, Pile, bounded


def _batch(first: int, count: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"number": list(range(first, first + count))})


def test_a_pile_holds_few_batches_with_rows_in_order() -> None:
    pile, expected = Pile(), 0
    for number in range(JOINED_BATCHES**2 + JOINED_BATCHES + 3):
        count = 1 + number % 3
        pile.add(_batch(expected, count))
        expected += count
    assert pile.rows == expected
    batches = pile.take()
    assert len(batches) == 5  # two joined batches, and three single ones
    assert pa.Table.from_batches(batches)["number"].to_pylist() == list(range(expected))
    assert pile.rows == pile.nbytes == 0
    assert pile.take() == []


def test_large_batches_are_passed_on_and_small_batches_joined() -> None:
    counts = [3, 2048, PIECE_ROWS, PIECE_ROWS // 2 + 1, 5, 6, PIECE_ROWS * 2 + 1, 1, 0]
    batches, first = [], 0
    for count in counts:
        batches.append(_batch(first, count))
        first += count
    bounded_batches = list(bounded(batches))
    assert [number for batch in bounded_batches for number in batch["number"].to_pylist()] == list(
        range(first)
    )
    assert [batch.num_rows for batch in bounded_batches][:4] == [
        2051,
        PIECE_ROWS,
        PIECE_ROWS // 2 + 1,
        11,
    ]
    assert all(0 < batch.num_rows <= PIECE_ROWS for batch in bounded_batches)
    assert (
        bounded_batches[1].column(0).buffers()[1].address
        == batches[2].column(0).buffers()[1].address
    )


def test_a_large_batch_is_passed_on_at_once() -> None:
    """The next batch is requested after the memory of the previous one is free."""
    requested = []

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(3):
            requested.append(number)
            data = pa.array([bytes(BATCH_BYTES // 2 + 1)], pa.binary())
            yield pa.RecordBatch.from_arrays([data], ["data"])

    bounded_batches = bounded(batches())
    for number in range(3):
        assert next(bounded_batches).num_rows == 1
        assert requested == list(range(number + 1))
    assert next(bounded_batches, None) is None
