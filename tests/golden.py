"""The golden vectors, which a process reads once."""

from __future__ import annotations

from functools import cache

from conformance.vectors import Vector, load_all


@cache
def golden_vectors() -> dict[str, Vector]:
    """Return all vectors by id. No test changes them."""
    return load_all()
