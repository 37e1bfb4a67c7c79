"""The kernel's sum is zlib's."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import zlib

import numpy as np
import pytest

pytest.importorskip("numba")

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


@pytest.mark.parametrize(
    ("features", "block"), [("", 1), ("+ssse3", 16), ("+ssse3,+avx2", 32), ("+avx512bw", 64)]
)
def test_for_any_processor(features: str, block: int) -> None:
    """Numba is told of lesser processors, whose code runs here as well."""
    llvm = pytest.importorskip("llvmlite.binding")
    there = llvm.get_host_cpu_features()
    if any(not there.get(one.lstrip("+")) for one in features.split(",") if one):
        pytest.skip("this processor has no such code")
    program = (
        "import random, sys, zlib, numpy as np; from walproof.scan import adler32\n"
        "assert adler32.BLOCK == int(sys.argv[1]), adler32.BLOCK\n"
        "for length in [*range(200), *range(5500, 5650), 100_000]:\n"
        "  for data in (random.Random(length).randbytes(length), b'\\xff' * length):\n"
        "    array = np.frombuffer(data, np.uint8)\n"
        "    for value in (1, 0xFFF0FFF0):\n"
        "      assert adler32.adler32(array, 0, length, value) == zlib.adler32(data, value)\n"
    )
    told = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": features}
    done = subprocess.run(
        [sys.executable, "-c", program, str(block)],
        env=os.environ | told | {"WALPROOF_KERNELS": "numba"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
