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


def small_maps(size: int) -> bytes:
    """One update whose value is an array of maps of one pair."""
    count = size // 4
    return b"\x81\xa1a\xdd" + count.to_bytes(4, "big") + b"\x81\xa1k\x00" * count


def empty_updates(size: int) -> bytes:
    """A record for each byte."""
    return b"\x80" * size


def many_keys(size: int) -> bytes:
    """Updates of one pair each, every one with another key."""
    return b"".join(b"\x81\xa4%04x\x00" % (number % 0x10000) for number in range(size // 7))


LOGS = (empty_arrays, small_maps, maps_as_keys, empty_updates, many_keys)
