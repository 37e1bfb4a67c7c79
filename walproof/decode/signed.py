"""Conversion of unsigned 64-bit numbers for columns."""

from __future__ import annotations


def signed(value: int) -> int:
    """Return the signed number with the same 64 bits, as columns store unsigned numbers."""
    return value - 2**64 if value >= 2**63 else value
