"""Decompress Snappy, in which Chromium stores large values of IndexedDB.

Upstream authority: google/snappy ``format_description.txt``.
"""

from __future__ import annotations

from walproof.decode.fault import Cursor, Undecodable

#: Bytes that a value may have after decompression, for each of its bytes before, and at least.
MAX_RATIO, MAX_LEAST_BYTES = 25, 1 << 16


def decompress(data: bytes) -> bytes:
    """Return the decompressed data. Raises ``Undecodable``.

    A size that no input of this length can reach is an error: three bytes expand to at most 64
    (:data:`MAX_RATIO`).
    """
    cursor = Cursor(data)
    size = cursor.varint(5)
    if size > max(MAX_LEAST_BYTES, MAX_RATIO * len(data)):
        raise Undecodable(f"Snappy: {size:,} bytes claimed by {len(data):,} bytes")
    out = bytearray()
    while cursor.left and len(out) <= size:
        tag = cursor.take(1)[0]
        length = tag >> 2
        if tag & 3 == 0:
            if length >= 60:
                length = int.from_bytes(cursor.take(length - 59), "little")
            out += cursor.take(length + 1)
            continue
        if tag & 3 == 1:
            offset = (tag >> 5) << 8 | cursor.take(1)[0]
            length = 4 + (length & 7)
        else:
            offset = int.from_bytes(cursor.take(2 if tag & 3 == 2 else 4), "little")
            length += 1
        if not 0 < offset <= len(out):
            raise Undecodable(f"Snappy: a copy from {offset} before byte {len(out)}")
        start = len(out) - offset
        piece = out[start : start + length]  # the source of a copy may overlap its output
        out += (piece * -(-length // len(piece)))[:length]
    if len(out) != size or cursor.left:
        raise Undecodable(f"Snappy: {size:,} bytes expected, found {len(out):,}")
    return bytes(out)
