"""Call a kernel in a loop to read whole valid records of a file, and return them in runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from walproof.scan import arrays
from walproof.scan.log import Source
from walproof.scan.model import MAX_BYTES, MAX_ROWS, Records, Wanted
from walproof.scan.window import passing_window

#: Indices in the state of a kernel, an array of int64 that the kernel continues from and updates:
#: offset of the next record, offset of the first byte in memory, number of rows, number of rows
#: with a truncated payload, number of bytes that the next record needs. Kernels may add indices.
AT, BASE, ROWS, CUT, NEED = range(5)

#: Return values of kernels: more bytes are needed; the result arrays are full; the records end;
#: the next bytes are not a whole valid record.
USED_UP, FULL_UP, ENDED, NOT_PLAIN = range(4)


class Walk:
    """A pass of a kernel over one file of ``size`` bytes.

    After :meth:`runs`, ``state[AT]`` is the offset after the last record, and ``why`` is the return
    value of the kernel. The rows of a run are in the arrays ``at``, ``sizes``, ``ends`` (of the
    payloads in ``payload``), ``cut`` and ``columns``.
    """

    #: Size of the smallest record in bytes.
    smallest = 1
    #: Maximum number of bytes held in memory for one record, if that is more than a window.
    max_held_bytes = 0
    #: Number of values in the state.
    states = 5
    #: Types of the arrays in ``columns``.
    dtypes: tuple[Any, ...] = ()

    def __init__(self, source: Source, size: int, wanted: Wanted, file: str | None = None) -> None:
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
        """Yield the consecutive valid records from an offset on. Raises ``OSError``."""
        state, window, self.why = self.state, self.window, FULL_UP
        state[AT] = at
        while self.why == FULL_UP:
            self._make_room()
            while True:
                state[BASE] = window.base
                self.why = self.run_kernel()
                at, need = state[[AT, NEED]].tolist()
                can_hold = window.stretch < need <= self.max_held_bytes
                is_held = at == window.base and len(window.array) > 0
                if self.why != USED_UP or (is_held and not can_hold):
                    break
                window.hold(at, need if can_hold else window.stretch)
            if count := int(state[ROWS]):
                yield self._run(count)

    def _make_room(self) -> None:
        left = max(0, self.size - int(self.state[AT]))
        rows = min(MAX_ROWS, 1 + left // self.smallest)
        self.at, self.sizes = arrays.pooled(rows, np.int64), arrays.pooled(rows, np.int64)
        self.ends, self.cut = arrays.pooled(rows + 1, np.int32), arrays.pooled(rows)
        self.columns = tuple(arrays.pooled(rows, dtype) for dtype in self.dtypes)
        self.ends[0] = 0
        # The array for payloads must be large enough for each record that fits in the window.
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
