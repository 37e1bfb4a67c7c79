"""Memory for kernels, and Arrow arrays over it without a copy."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from walproof.scan.model import MAX_ROWS

_ARROW = {np.dtype(t): pa.from_numpy_dtype(t) for t in (np.int32, np.int64, np.uint32, np.uint64)}


def pooled(count: int, dtype: Any = np.uint8) -> NDArray[Any]:
    """Return an array of so many numbers, not cleared, from Arrow's memory pool.

    Memory of ``np.empty`` goes back to the system, which clears it page by page for its next user.
    """
    return np.frombuffer(pa.allocate_buffer(count * np.dtype(dtype).itemsize), dtype)


def numbers(values: NDArray[Any]) -> pa.Array:
    """Return numbers without a null, as they lie in memory."""
    return pa.Array.from_buffers(
        _ARROW[values.dtype], len(values), [None, pa.py_buffer(values)], null_count=0
    )


def repeated(value: Any, kind: pa.DataType, count: int) -> pa.Array:
    """Return one value, or null, so many times: memory is made for the first run only."""
    if count > MAX_ROWS:
        return pa.repeat(pa.scalar(value, kind), count)
    return _many(value, kind)[:count]


@functools.lru_cache(maxsize=64)
def _many(value: Any, kind: pa.DataType) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), MAX_ROWS)


def binary(ends: NDArray[np.int32], data: Any, kind: pa.DataType) -> pa.Array:
    """Return text or bytes: value n lies in ``data[ends[n]:ends[n + 1]]``.

    ``data`` is a buffer of Arrow, or an array of bytes.
    """
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.Array.from_buffers(kind, len(ends) - 1, buffers, null_count=0)
