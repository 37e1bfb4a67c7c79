"""Small batches become larger ones: as many rows, in their order, and few batches at any time."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from walproof.scan.model import PIECE_ROWS
from walproof.tables.batches import AT_ONCE, BATCH_BYTES, Pile, bounded


def _batch(first: int, count: int) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"number": list(range(first, first + count))})


def test_a_pile_keeps_rows_in_their_order_and_few_batches() -> None:
    pile, expected = Pile(), 0
    for number in range(AT_ONCE**2 + AT_ONCE + 3):
        count = 1 + number % 3
        pile.add(_batch(expected, count))
        expected += count
    assert pile.rows == expected
    taken = pile.take()
    assert len(taken) == 5  # one of all the first, one of the next, three that wait
    assert pa.Table.from_batches(taken)["number"].to_pylist() == list(range(expected))
    assert pile.rows == pile.nbytes == 0
    assert pile.take() == []


def test_large_batches_are_handed_on_and_small_ones_joined() -> None:
    counts = [3, 2048, PIECE_ROWS, PIECE_ROWS // 2 + 1, 5, 6, PIECE_ROWS * 2 + 1, 1, 0]
    batches, first = [], 0
    for count in counts:
        batches.append(_batch(first, count))
        first += count
    made = list(bounded(batches))
    assert [number for one in made for number in one["number"].to_pylist()] == list(range(first))
    assert [one.num_rows for one in made][:4] == [2051, PIECE_ROWS, PIECE_ROWS // 2 + 1, 11]
    assert all(0 < one.num_rows <= PIECE_ROWS for one in made)
    assert made[1].column(0).buffers()[1].address == batches[2].column(0).buffers()[1].address


def test_nothing_waits_behind_a_large_batch() -> None:
    """A batch is asked for when the one before was taken away, so its memory is free again."""
    asked = []

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(3):
            asked.append(number)
            data = pa.array([bytes(BATCH_BYTES // 2 + 1)], pa.binary())
            yield pa.RecordBatch.from_arrays([data], ["data"])

    made = bounded(batches())
    for number in range(3):
        assert next(made).num_rows == 1
        assert asked == list(range(number + 1))
    assert next(made, None) is None
