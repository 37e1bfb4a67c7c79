"""Payloads of a run of records, from a stretch of a file into a column."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from walproof.scan.stored import ready
from walproof.scan.window import room_for

LONGEST = 2**31 - 1
"""Bytes that a binary column can hold."""


_gather = ready("walproof.scan.gather").gather


def column(
    data: NDArray[np.uint8],
    base: int,
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    cap: int,
) -> tuple[pa.Array, NDArray[np.bool_] | None]:
    """The bytes ``[starts, starts + sizes)``, each cut at ``cap``, and which of them were cut.

    ``data`` begins at the offset ``base``. All that is not cut off lies in it, for nobody looks
    again; together at most :data:`LONGEST`.
    """
    lengths = np.minimum(sizes, cap)
    offsets = np.empty(len(starts) + 1, np.int32)
    room = room_for(int(lengths.sum()))
    _gather(data, base, starts, lengths, offsets, room)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(room)]
    cut = sizes > lengths
    payload = pa.Array.from_buffers(pa.binary(), len(starts), buffers)
    return payload, cut if cut.any() else None
