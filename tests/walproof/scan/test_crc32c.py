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


def test_without_the_instruction_the_portable_one_is_used() -> None:
    """Numba can be told to make code for a lesser processor; the instruction would end it."""
    program = (
        "import numpy as np; from walproof.scan import crc32c; "
        "assert not crc32c.HARDWARE and crc32c.update is crc32c.update_portable; "
        "print(crc32c.update(0, np.frombuffer(b'123456789', np.uint8), 0, 9))"
    )
    environment = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    environment["WALPROOF_KERNELS"] = "numba"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == str(0xE3069283), done.stderr
