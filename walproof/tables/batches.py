"""Arrow batches of a suitable size for the JVM and for row groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from walproof.scan.model import PIECE_ROWS

#: Approximate maximum bytes of a batch for the JVM, which has at most ``PIECE_ROWS`` rows
#: (docs/speed.md).
BATCH_BYTES = 4 << 20
#: Sizes at which a row group of Parquet is written; they limit memory for logs of any length.
GROUP_BYTES = 32 << 20
GROUP_ROWS = 1 << 18
#: Number of batches that are joined into one: a batch of one row takes some thousand bytes, one of
#: many rows hardly more.
JOINED_BATCHES = 64


class Pile:
    """An ordered list of batches that joins adjacent ones, so that there are never many."""

    def __init__(self) -> None:
        self._levels: list[list[pa.RecordBatch]] = [[]]
        self.rows = 0
        self.nbytes = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Append a batch."""
        self.rows += batch.num_rows
        self.nbytes += batch.nbytes
        self._levels[0].append(batch)
        for number, level in enumerate(self._levels):
            if len(level) < JOINED_BATCHES:
                return
            if number + 1 == len(self._levels):
                self._levels.append([])
            self._levels[number + 1].append(_joined(level))
            level.clear()

    @property
    def is_full(self) -> bool:
        """True if there are enough rows for a row group."""
        return self.nbytes >= GROUP_BYTES or self.rows >= GROUP_ROWS

    def take(self) -> list[pa.RecordBatch]:
        """Return all batches and clear the pile."""
        batches = [batch for level in reversed(self._levels) for batch in level]
        self._levels = [[]]
        self.rows = self.nbytes = 0
        return batches


def bounded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the same rows in batches of up to ``PIECE_ROWS`` rows and about ``BATCH_BYTES`` bytes.

    Small batches are joined, because each batch takes about a millisecond in the JVM, and a folder
    of small logs has one batch per log. A single row may exceed ``BATCH_BYTES``.
    """
    held = Pile()
    for batch in batches:
        for piece in _cut(batch):
            rows, size = piece.num_rows, piece.nbytes
            if held.rows and (held.rows + rows > PIECE_ROWS or held.nbytes + size > BATCH_BYTES):
                yield _joined(held.take())
            if not held.rows and (2 * rows > PIECE_ROWS or 2 * size > BATCH_BYTES):
                yield piece  # joining it with another would hold the memory of both
            else:
                held.add(piece)
    if held.rows:
        yield _joined(held.take())


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


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    table = pa.Table.from_batches(batches).unify_dictionaries()
    (joined,) = table.combine_chunks().to_batches()
    return joined
