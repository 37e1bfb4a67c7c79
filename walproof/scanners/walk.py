"""Run a kernel over a file, and return the intact records in runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from walproof.scanners import arrays
from walproof.scanners.byte_source import ByteSource
from walproof.scanners.model import MAX_BYTES, MAX_ROWS, Records, Wanted
from walproof.scanners.window import passing_window

#: A kernel reads and updates its state, an int64 array. These indices stand for the offset of the
#: next record, the offset of the first byte in memory, the number of rows, the number of rows with
#: a truncated payload, and the number of bytes that the next record needs. Kernels may add indices.
AT, BASE, ROWS, CUT, NEED = range(5)

#: A kernel returns one of these values. In this order, they mean that more bytes are needed, that
#: the result arrays are full, that the records end, and that the next bytes are not an intact
#: record.
USED_UP, FULL_UP, ENDED, NOT_PLAIN = range(4)

#: Maximum number of bytes to hold in memory for one record. The specification reads longer records.
MAX_HELD_BYTES = 32 << 20


class RecordWalk:
    """One pass of a kernel over a file that is ``size`` bytes long.

    After :meth:`runs`, ``state[AT]`` is the offset after the last record, and ``why`` is the
    kernel's last return value. The rows of a run are in the arrays ``at``, ``sizes``, ``ends`` (the
    ends of the payloads in ``payload``), ``cut`` and ``columns``.
    """

    #: Size of the smallest record in bytes.
    smallest = 1
    #: Number of values in the state.
    states = 5
    #: Types of the arrays in ``columns``.
    dtypes: tuple[Any, ...] = ()

    def __init__(
        self, source: ByteSource, size: int, wanted: Wanted, file: str | None = None
    ) -> None:
        self.window = passing_window(source)
        self.size, self.wanted, self.file = size, wanted, file
        self.state = np.zeros(self.states, np.int64)
        self.why = FULL_UP

    def run_kernel(self) -> int:
        """Run the kernel over the bytes in the window."""
        raise NotImplementedError

    def fields(self, count: int) -> Mapping[str, pa.Array]:
        """Return the columns of the first ``count`` rows."""
        return {}

    def runs(self, at: int) -> Iterator[Records]:
        """Yield the consecutive intact records that start at an offset. Raises ``OSError``."""
        state, window = self.state, self.window
        state[AT], self.why = at, FULL_UP
        while self.why == FULL_UP:
            self._make_room()
            while True:
                state[BASE] = window.base
                self.why = self.run_kernel()
                if self.why != USED_UP or state[NEED] > MAX_HELD_BYTES:
                    break
                window.hold(int(state[AT]), int(state[NEED]))
            if count := int(state[ROWS]):
                yield self._run(count)

    def _make_room(self) -> None:
        left = max(0, self.size - int(self.state[AT]))
        rows = min(MAX_ROWS, 1 + left // self.smallest)
        self.at, self.sizes = arrays.pooled(rows, np.int64), arrays.pooled(rows, np.int64)
        self.ends, self.cut = arrays.pooled(rows + 1, np.int32), arrays.pooled(rows)
        self.columns = tuple(arrays.pooled(rows, dtype) for dtype in self.dtypes)
        self.ends[0] = 0
        # Any record that fits in the window must also fit in the payload array.
        held = max(MAX_BYTES, self.window.stretch, len(self.window.array))
        self.payload = arrays.pooled(min(left, held) if self.wanted.cap >= 0 else 0)
        self.state[ROWS] = self.state[CUT] = 0

    def _run(self, count: int) -> Records:
        payload = truncated = None
        if self.wanted.cap >= 0:
            payload = arrays.binary(self.ends[: count + 1], self.payload, pa.binary())
            truncated = self.cut[:count].astype(np.bool_) if self.state[CUT] else None
        fields = self.fields(count)
        wanted = {name: column for name, column in fields.items() if self.wanted.wants(name)}
        return Records(self.at[:count], self.sizes[:count], payload, wanted, self.file, truncated)
