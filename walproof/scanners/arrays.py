"""Allocate memory for kernels, and wrap it in Arrow arrays without copying."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_ARROW = {np.dtype(t): pa.from_numpy_dtype(t) for t in (np.int32, np.int64, np.uint32, np.uint64)}


def pooled(count: int, dtype: Any = np.uint8) -> NDArray[Any]:
    """Return an uninitialised array from Arrow's memory pool, which reuses memory."""
    return np.frombuffer(pa.allocate_buffer(count * np.dtype(dtype).itemsize), dtype)


def numbers(values: NDArray[Any]) -> pa.Array:
    """Return numbers as an Arrow array without nulls and without copying."""
    return pa.Array.from_buffers(
        _ARROW[values.dtype], len(values), [None, pa.py_buffer(values)], null_count=0
    )


def repeated(value: Any, type_: pa.DataType, count: int) -> pa.Array:
    """Return an Arrow array that repeats one value, or null, ``count`` times."""
    return pa.repeat(pa.scalar(value, type_), count)


def binary(ends: NDArray[Any], data: Any, type_: pa.DataType) -> pa.Array:
    """Return an Arrow array of text or bytes. Value n is ``data[ends[n]:ends[n + 1]]``.

    ``ends`` is an int32 array, or an int64 array for large types.
    """
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(data)[: ends[-1]]]
    return pa.Array.from_buffers(type_, len(ends) - 1, buffers, null_count=0)
