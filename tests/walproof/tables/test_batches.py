"""Small batches become larger ones: as many rows, in their order, and few batches at any time."""

from __future__ import annotations

import pyarrow as pa

from walproof.tables.batches import AT_ONCE, Pile


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
