"""Arrow arrays of what kernels leave in memory, without a copy."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from walproof.scan.model import MAX_ROWS

_ARROW = {np.dtype(t): pa.from_numpy_dtype(t) for t in (np.int32, np.int64, np.uint32, np.uint64)}


def numbers(values: NDArray[Any]) -> pa.Array:
    """Numbers without a null, as they lie in memory."""
    return pa.Array.from_buffers(
        _ARROW[values.dtype], len(values), [None, pa.py_buffer(values)], null_count=0
    )


def repeated(value: Any, kind: pa.DataType, count: int) -> pa.Array:
    """One value, or null, so many times: nothing is made for a run of records but the first."""
    if count > MAX_ROWS:
        return pa.repeat(pa.scalar(value, kind), count)
    return _many(value, kind)[:count]


@functools.lru_cache(maxsize=64)
def _many(value: Any, kind: pa.DataType) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), MAX_ROWS)


def texts(ends: NDArray[np.int32], room: NDArray[Any], kind: pa.DataType) -> pa.Array:
    """Text or bytes: value n lies in ``room[ends[n]:ends[n + 1]]``."""
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(room)]
    return pa.Array.from_buffers(kind, len(ends) - 1, buffers, null_count=0)
