"""Arrow arrays over the memory of kernels equal arrays built value by value."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from walproof.scan import arrays


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_numbers(dtype: type) -> None:
    values = np.array([0, 1, np.iinfo(dtype).max], dtype)
    array = arrays.numbers(values)
    array.validate(full=True)
    assert array.equals(pa.array(values))


def test_binary() -> None:
    data = np.frombuffer(b"onethree and bytes outside all values", np.uint8)
    array = arrays.binary(np.array([0, 3, 3, 8], np.int32), data, pa.binary())
    array.validate(full=True)
    assert array.to_pylist() == [b"one", b"", b"three"]


def test_pooled_memory_can_be_written() -> None:
    numbers = arrays.pooled(5, np.int32)
    numbers[:] = range(5)
    assert numbers.tolist() == [0, 1, 2, 3, 4]
