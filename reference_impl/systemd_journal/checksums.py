"""The hashes of units in the grammar, computed from the bytes of a journal (SDJ-022)."""

from __future__ import annotations

from typing import Any

from reference_impl.systemd_journal.compression import BadCompression, decompress
from reference_impl.systemd_journal.hashes import jenkins64, siphash24

#: The size above which no hash is computed, because it takes a second in Python.
MAX_HASHED_BYTES = 1 << 18
_COMPRESSION_FLAGS = 7


def payload_hash(log: Any, start: int, end: int, data: bytes) -> tuple[int, ...] | None:
    """Hash the decompressed payload, with the key of the file if a header flag is set (SDJ-022).

    ``log`` is indexed by slices; ``start`` is the start of the body of the object.
    """
    # The flags of an object are the byte after its type, and the body begins after 16 bytes.
    head, byte = log[0:40], log[start - 15 : start - 14]
    if len(head) < 40 or not byte:
        return None  # the log was truncated after it was parsed
    flags, is_keyed = byte[0] & _COMPRESSION_FLAGS, head[12] & 4
    try:
        data = decompress(data, flags, MAX_HASHED_BYTES) if flags else data
    except BadCompression:
        return None
    if len(data) > MAX_HASHED_BYTES:
        return None
    return (siphash24(data, head[24:]) if is_keyed else jenkins64(data),)


CHECKSUMS = {"systemd-journal-hash": payload_hash}
