"""Arrow batches that are neither too small nor too large, for the JVM and for a row group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from walproof.scan.model import PIECE_ROWS

BATCH_BYTES = 4 << 20
"""A batch for the JVM has at most ``PIECE_ROWS`` rows and about so many bytes: docs/speed.md."""
GROUP_BYTES = 32 << 20
GROUP_ROWS = 1 << 18
"""A row group of Parquet is written when either is reached: no more is held, however long a log."""
AT_ONCE = 64
"""Batches that become one: a batch of one row takes some thousand bytes, one of many hardly more.
"""


class Pile:
    """Batches in their order, never many: so many in a row are made one, and so many of those."""

    def __init__(self) -> None:
        self._levels: list[list[pa.RecordBatch]] = [[]]
        self.rows = 0
        self.nbytes = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Put one after those that are here."""
        self.rows += batch.num_rows
        self.nbytes += batch.nbytes
        self._levels[0].append(batch)
        for number, level in enumerate(self._levels):
            if len(level) < AT_ONCE:
                return
            if number + 1 == len(self._levels):
                self._levels.append([])
            self._levels[number + 1].append(_joined(level))
            level.clear()

    @property
    def is_group(self) -> bool:
        """Whether there is enough for a row group."""
        return self.nbytes >= GROUP_BYTES or self.rows >= GROUP_ROWS

    def take(self) -> list[pa.RecordBatch]:
        """All of them; none is left."""
        taken = [batch for level in reversed(self._levels) for batch in level]
        self._levels = [[]]
        self.rows = self.nbytes = 0
        return taken


def bounded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of at most ``PIECE_ROWS`` rows and about ``BATCH_BYTES`` bytes.

    Small ones are joined: each costs the JVM about a millisecond, and a folder of small logs gives
    one for each. A single row may be larger than ``BATCH_BYTES``.
    """
    held = Pile()
    for batch in batches:
        for piece in _cut(batch):
            rows, size = piece.num_rows, piece.nbytes
            if held.rows and (held.rows + rows > PIECE_ROWS or held.nbytes + size > BATCH_BYTES):
                yield _joined(held.take())
            if not held.rows and (2 * rows > PIECE_ROWS or 2 * size > BATCH_BYTES):
                yield piece  # to wait for another would keep the memory of both
            else:
                held.add(piece)
    if held.rows:
        yield _joined(held.take())


def _cut(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Pieces within the bounds; by halves, since rows differ in size."""
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
