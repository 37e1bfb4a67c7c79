"""The kernels' checksums agree with those of libraries."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import zlib

import crc32c as package
import numpy as np
import pytest

pytest.importorskip("numba")

from walproof.formats.kahadb_journal.scanner.kernel import ADLER_STRIDE, adler32
from walproof.scanners import kernels

DATA = random.Random(1).randbytes(100_000)
ARRAY = np.frombuffer(DATA, np.uint8)


@pytest.mark.slow
def test_crc32c_agrees_with_the_package() -> None:
    rng = random.Random(2)
    for length in [*range(1600), *(rng.randrange(90_000) for _ in range(200))]:
        start = rng.randrange(100)
        before = rng.choice([0, rng.getrandbits(32)])
        expected = package.crc32c(DATA[start : start + length], before)
        assert kernels.crc32c(before, ARRAY, start, start + length) == expected, (start, length)


@pytest.mark.slow
def test_crc32c_without_the_processor_instruction() -> None:
    """The checksum is also right if numba compiles for a processor without the instruction."""
    program = (
        "import random, crc32c as package, numpy as np\n"
        "from walproof.scanners import kernels\n"
        "assert not kernels.HAS_INSTRUCTION\n"
        "data = random.Random(1).randbytes(10_001)\n"
        "array = np.frombuffer(data, np.uint8)\n"
        "for length in [*range(900), 6143, 10_000]:\n"
        "  expected = package.crc32c(data[1 : 1 + length], 0xE3069283)\n"
        "  assert kernels.crc32c(0xE3069283, array, 1, 1 + length) == expected, length\n"
    )
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | generic, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "length", [0, 1, 31, 32, 33, ADLER_STRIDE - 1, ADLER_STRIDE, ADLER_STRIDE + 1, 200_000]
)
@pytest.mark.parametrize("byte", [None, 0, 255])
def test_adler32_agrees_with_zlib(length: int, byte: int | None) -> None:
    data = random.Random(length).randbytes(length) if byte is None else bytes([byte]) * length
    array = np.frombuffer(data, np.uint8)
    assert adler32(array, 0, length, 1) == zlib.adler32(data)
    assert adler32(array, 0, length, 0xFFF0FFF0) == zlib.adler32(data, 0xFFF0FFF0)
