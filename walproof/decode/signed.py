"""64-bit numbers as columns store them."""

from __future__ import annotations


def signed(value: int) -> int:
    """Return a u64 in two's complement, as in all columns."""
    return value - 2**64 if value >= 2**63 else value
