"""Hostile zmq-raft state files and index files."""

from __future__ import annotations

import tempfile
from pathlib import Path

from reference_impl.answer import NewRecord
from reference_impl.zmq_raft import write
from reference_impl.zmq_raft.message_pack import MAX_DEPTH, MOST_VALUES

NAME = "raft.pers"
INDEX_FILE = "00000000000001.rlog"


def empty_arrays(size: int) -> bytes:
    """Return an update whose value is an array of empty arrays."""
    return b"\x81\xa1a\xdd" + size.to_bytes(4, "big") + b"\x90" * size


def maps_as_keys(size: int) -> bytes:
    """Return updates whose keys are maps that are nested sixty levels deep."""
    key = b"\xa1k"
    for _ in range(60):
        key = b"\x81" + key + b"\x00"
    update = b"\x81\xa1a\x81" + key + b"\x00"
    return update * (size // len(update))


def small_maps(size: int) -> bytes:
    """Return an update whose value is an array of one-pair maps."""
    count = size // 4
    return b"\x81\xa1a\xdd" + count.to_bytes(4, "big") + b"\x81\xa1k\x00" * count


def empty_updates(size: int) -> bytes:
    """Return a state file with a record for every byte."""
    return b"\x80" * size


def many_keys(size: int) -> bytes:
    """Return one-pair updates with different keys."""
    return b"".join(b"\x81\xa4%04x\x00" % (number % 0x10000) for number in range(size // 7))


def _array(size: int, value: bytes) -> bytes:
    """Return an update whose value is an array that repeats one value."""
    count = size // len(value)
    return b"\x81\xa1a\xdd" + count.to_bytes(4, "big") + value * count


def texts_that_are_none(size: int) -> bytes:
    """Return an update whose value is an array of one-byte strings of invalid UTF-8."""
    return _array(size, b"\xa1\xff")


def long_text(size: int) -> bytes:
    """Return an update whose value is a text of control characters, which JSON must escape."""
    return b"\x81\xa1a\xdb" + size.to_bytes(4, "big") + b"\x01" * size


def wide_text(size: int) -> bytes:
    """Return an update whose value is a text with one character outside the BMP."""
    text = "a" * (size - 4) + chr(0x1F600)
    return b"\x81\xa1a\xdb" + size.to_bytes(4, "big") + text.encode()


def _configs(payload: bytes, count: int) -> bytes:
    """Return an index file of ``count`` configuration entries with the same payload."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, INDEX_FILE)
        entry = NewRecord(payload, {"entry_type": 1, "term": 1})
        write(path, [entry] * count, {"capacity": max(2, count + 1)})
        return path.read_bytes()


def config_of_levels(size: int) -> bytes:
    """Return a configuration entry that consists of nested arrays, one level for each byte."""
    return _configs(b"\x91" * size + b"\xc0", 1)


def configs_of_deep_arrays(size: int) -> bytes:
    """Return configurations with the maximum number of values, in arrays of the maximum depth."""
    deep = b"\x91" * (MAX_DEPTH - 2) + b"\xc0"
    count = (MOST_VALUES - 1) // len(deep)
    payload = b"\xdd" + count.to_bytes(4, "big") + deep * count
    return _configs(payload, max(1, size // len(payload)))


LOGS = (
    empty_arrays,
    small_maps,
    maps_as_keys,
    empty_updates,
    many_keys,
    texts_that_are_none,
    long_text,
    wide_text,
    config_of_levels,
    configs_of_deep_arrays,
)
#: File names of the logs that are not state files.
NAMES = {config_of_levels: INDEX_FILE, configs_of_deep_arrays: INDEX_FILE}
