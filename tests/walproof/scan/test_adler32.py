"""The kernel's sum is zlib's."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

pytest.importorskip("walproof.scan.compiled")

from walproof.scan.adler32 import STRIDE, adler32


@pytest.mark.parametrize("length", [0, 1, 31, 32, 33, STRIDE - 1, STRIDE, STRIDE + 1, 200_000])
@pytest.mark.parametrize("byte", [None, 0, 255])
def test_any_length(length: int, byte: int | None) -> None:
    data = random.Random(length).randbytes(length) if byte is None else bytes([byte]) * length
    array = np.frombuffer(data, np.uint8)
    assert adler32(array, 0, length, 1) == zlib.adler32(data)
    assert adler32(array, 0, length, 0xFFF0FFF0) == zlib.adler32(data, 0xFFF0FFF0)


def test_any_range() -> None:
    rng = random.Random(7)
    data = rng.randbytes(20_000)
    array = np.frombuffer(data, np.uint8)
    for _ in range(300):
        start, end = sorted(rng.choices(range(len(data) + 1), k=2))
        value = rng.choice([1, zlib.adler32(data[:start])])
        assert adler32(array, start, end, value) == zlib.adler32(data[start:end], value)


def test_writable_arrays_fit_too() -> None:
    assert adler32(np.zeros(5, np.uint8), 0, 5, 1) == zlib.adler32(bytes(5))
