"""Hostile state files of zmq-raft."""

from __future__ import annotations

SUFFIX = ".pers"


def empty_arrays(size: int) -> bytes:
    """One update whose value is an array of empty arrays."""
    return b"\x81\xa1a\xdd" + size.to_bytes(4, "big") + b"\x90" * size


def maps_as_keys(size: int) -> bytes:
    """Updates whose keys are maps in maps, sixty deep."""
    key = b"\xa1k"
    for _ in range(60):
        key = b"\x81" + key + b"\x00"
    update = b"\x81\xa1a\x81" + key + b"\x00"
    return update * (size // len(update))


LOGS = (empty_arrays, maps_as_keys)
