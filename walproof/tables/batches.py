"""Arrow batches of a suitable size for the JVM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from walproof.scan.model import MAX_BYTES, PIECE_ROWS


def joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in batches of about ``PIECE_ROWS`` rows or ``MAX_BYTES`` bytes.

    A scanner yields no larger ones. Small batches are joined, because each batch takes about a
    millisecond in the JVM, and a folder of small logs has one batch per log.
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if 2 * rows > PIECE_ROWS or 2 * size > MAX_BYTES:
            yield batch if len(held) == 1 else pa.concat_batches(held)
            held, rows, size = [], 0, 0
    if rows:
        yield pa.concat_batches(held)
