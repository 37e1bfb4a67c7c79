"""Arrow batches that are neither too small nor too large for the JVM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from walproof.scan.model import MAX_BYTES, MAX_ROWS


def bounded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of at most ``MAX_ROWS`` rows and about ``MAX_BYTES`` bytes.

    Small ones are joined: each costs the JVM about a millisecond, and a folder of small logs gives
    one for each. A single row may be larger than ``MAX_BYTES``.
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        for piece in _cut(batch):
            more = piece.nbytes
            if held and (rows + piece.num_rows > MAX_ROWS or size + more > MAX_BYTES):
                yield _joined(held)
                held, rows, size = [], 0, 0
            held.append(piece)
            rows += piece.num_rows
            size += more
    if held:
        yield _joined(held)


def _cut(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Pieces within the bounds; by halves, since rows differ in size."""
    if batch.num_rows == 0:
        return
    if batch.num_rows == 1 or (batch.num_rows <= MAX_ROWS and batch.nbytes <= 2 * MAX_BYTES):
        yield batch
        return
    half = batch.num_rows // 2
    yield from _cut(batch.slice(0, half))
    yield from _cut(batch.slice(half))


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    (joined,) = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return joined
