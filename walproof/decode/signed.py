"""Numbers of 64 bits, as columns hold them."""

from __future__ import annotations


def signed(value: int) -> int:
    """A u64 in two's complement, as in all columns."""
    return value - 2**64 if value >= 2**63 else value
