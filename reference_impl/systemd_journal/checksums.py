"""Compute the hashes that the grammar declares, from the bytes of a journal (SDJ-022)."""

from __future__ import annotations

from typing import Any

from reference_impl.systemd_journal.compression import BadCompression, decompress
from reference_impl.systemd_journal.hashes import jenkins64, siphash24

#: Larger payloads are not hashed, because this would take a second or more in Python.
MAX_HASHED_BYTES = 1 << 18
_COMPRESSION_FLAGS = 7


def payload_hash(log: Any, start: int, end: int, data: bytes) -> tuple[int, ...] | None:
    """Hash the decompressed payload, with the file's key if its hashes are keyed (SDJ-022).

    ``log`` must support slicing. ``start`` is the start of the object's body.
    """
    # The second byte of an object contains its flags. The body begins after 16 bytes.
    head, byte = log[0:40], log[start - 15 : start - 14]
    if len(head) < 40 or not byte:
        return None  # The log was truncated after it was parsed.
    flags, is_keyed = byte[0] & _COMPRESSION_FLAGS, head[12] & 4
    try:
        data = decompress(data, flags, MAX_HASHED_BYTES) if flags else data
    except BadCompression:
        return None
    if len(data) > MAX_HASHED_BYTES:
        return None
    return (siphash24(data, head[24:]) if is_keyed else jenkins64(data),)


CHECKSUMS = {"systemd-journal-hash": payload_hash}
