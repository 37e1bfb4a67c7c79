"""CRC-32C in kernels, both ways, against the package ``crc32c``."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import Any

import crc32c as package
import numpy as np
import pytest

from walproof.scan import crc32c

DATA = random.Random(1).randbytes(100_000)
ARRAY = np.frombuffer(DATA, np.uint8)


@pytest.mark.parametrize("update", [crc32c.update, crc32c.update_portable])
def test_agrees_with_the_package(update: Any) -> None:
    rng = random.Random(2)
    lengths = [*range(1600), *(rng.randrange(90_000) for _ in range(200))]
    for length in lengths:
        start = rng.randrange(100)
        before = rng.choice([0, rng.getrandbits(32)])
        owed = package.crc32c(DATA[start : start + length], before)
        assert update(before, ARRAY, start, start + length) == owed, (start, length)


def test_check_value() -> None:
    digits = np.frombuffer(b"123456789", np.uint8)
    assert crc32c.update(0, digits, 0, 9) == 0xE3069283
    assert crc32c.update_portable(0, digits, 0, 9) == 0xE3069283


@pytest.mark.parametrize(
    ("features", "said"),
    [
        ("", "False False"),
        ("+sse4.2,+crc32", "True False"),
        ("+sse4.2,+crc32,+pclmul,+avx2,+avx512f,+vpclmulqdq", "True True"),
    ],
)
def test_for_any_processor(features: str, said: str) -> None:
    """Numba is told of a lesser processor, which an instruction of a better one would end."""
    llvm = pytest.importorskip("llvmlite.binding")
    there = llvm.get_host_cpu_features()
    if any(not there.get(one.lstrip("+")) for one in features.split(",") if one):
        pytest.skip("this processor has no such code")
    program = (
        "import random, sys, crc32c as package, numpy as np\n"
        "from walproof.scan import crc32c, crc32c_folded\n"
        "print(crc32c.HARDWARE, crc32c_folded.HAS_PRODUCTS)\n"
        "assert crc32c.HARDWARE or crc32c.update is crc32c.update_portable\n"
        "data = random.Random(1).randbytes(100_001)\n"
        "array = np.frombuffer(data, np.uint8)\n"
        "for length in [*range(900), 6143, 6144, 7000, 100_000]:\n"
        "  for before in (0, 0xE3069283):\n"
        "    owed = package.crc32c(data[1 : 1 + length], before)\n"
        "    assert crc32c.update(before, array, 1, 1 + length) == owed, length\n"
    )
    told = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": features}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | told | {"WALPROOF_KERNELS": "numba"}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.strip() == said, done.stderr
