"""Arrow batches of a suitable size for the JVM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from walproof.scan.model import PIECE_ROWS

#: Approximate maximum bytes of a batch, which has at most ``PIECE_ROWS`` rows (docs/speed.md).
BATCH_BYTES = 4 << 20


def bounded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in batches of up to ``PIECE_ROWS`` rows and about ``BATCH_BYTES`` bytes.

    Small batches are joined, because each batch takes about a millisecond in the JVM, and a folder
    of small logs has one batch per log. A single row may exceed ``BATCH_BYTES``.
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        for piece in _cut(batch):
            count, nbytes = piece.num_rows, piece.nbytes
            if held and (rows + count > PIECE_ROWS or size + nbytes > BATCH_BYTES):
                yield pa.concat_batches(held)
                held, rows, size = [], 0, 0
            if not held and (2 * count > PIECE_ROWS or 2 * nbytes > BATCH_BYTES):
                yield piece  # joining it with another would hold the memory of both
            else:
                held.append(piece)
                rows, size = rows + count, size + nbytes
    if held:
        yield pa.concat_batches(held)


def _cut(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield pieces within the limits, by halving, because rows differ in size."""
    if batch.num_rows == 0:
        return
    if batch.num_rows == 1 or (batch.num_rows <= PIECE_ROWS and batch.nbytes <= 2 * BATCH_BYTES):
        yield batch
        return
    half = batch.num_rows // 2
    yield from _cut(batch.slice(0, half))
    yield from _cut(batch.slice(half))
