"""Compute the two hashes of a journal, Bob Jenkins' ``hashlittle2`` and SipHash-2-4.

No maintained package provides these hashes with the required parameters. The tests compare the
results with the examples in the chapter.
"""

from __future__ import annotations

import struct

_ALL = 0xFFFFFFFF
_ALL64 = 0xFFFFFFFFFFFFFFFF


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> 32 - by) & _ALL


def jenkins(data: bytes) -> int:
    """Return both results of ``hashlittle2`` with seeds 0, the first in the high half (SDJ-021)."""
    a = b = c = (0xDEADBEEF + len(data)) & _ALL
    if not data:
        return c << 32 | b
    tail = (len(data) - 1) // 12 * 12
    for x, y, z in struct.iter_unpack("<3I", data[:tail]):
        a, b, c = a + x, b + y, c + z
        a = (a - c & _ALL) ^ _rotated(c & _ALL, 4)
        c = c + b & _ALL
        b = (b - a & _ALL) ^ _rotated(a, 6)
        a = a + c & _ALL
        c = (c - b & _ALL) ^ _rotated(b, 8)
        b = b + a & _ALL
        a = (a - c & _ALL) ^ _rotated(c, 16)
        c = c + b & _ALL
        b = (b - a & _ALL) ^ _rotated(a, 19)
        a = a + c & _ALL
        c = (c - b & _ALL) ^ _rotated(b, 4)
        b = b + a & _ALL
    last = int.from_bytes(data[tail:], "little")
    a, b, c = a + last & _ALL, b + (last >> 32) & _ALL, c + (last >> 64) & _ALL
    c = ((c ^ b) - _rotated(b, 14)) & _ALL
    a = ((a ^ c) - _rotated(c, 11)) & _ALL
    b = ((b ^ a) - _rotated(a, 25)) & _ALL
    c = ((c ^ b) - _rotated(b, 16)) & _ALL
    a = ((a ^ c) - _rotated(c, 4)) & _ALL
    b = ((b ^ a) - _rotated(a, 14)) & _ALL
    c = ((c ^ b) - _rotated(b, 24)) & _ALL
    return c << 32 | b


def siphash(key: bytes, data: bytes) -> int:
    """Return SipHash-2-4 with a 16-byte key (SDJ-022)."""
    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    whole = len(data) // 8 * 8
    last = int.from_bytes(data[whole:], "little") | (len(data) & 255) << 56
    numbers: list[int] = [number for (number,) in struct.iter_unpack("<Q", data[:whole])]
    for number, rounds in [*((number, 2) for number in numbers), (last, 2), (0, 4)]:
        v3 ^= number
        if rounds == 4:
            v2 ^= 255
        for _ in range(rounds):
            v0 = v0 + v1 & _ALL64
            v1 = (v1 << 13 | v1 >> 51) & _ALL64 ^ v0
            v0 = (v0 << 32 | v0 >> 32) & _ALL64
            v2 = v2 + v3 & _ALL64
            v3 = (v3 << 16 | v3 >> 48) & _ALL64 ^ v2
            v0 = v0 + v3 & _ALL64
            v3 = (v3 << 21 | v3 >> 43) & _ALL64 ^ v0
            v2 = v2 + v1 & _ALL64
            v1 = (v1 << 17 | v1 >> 47) & _ALL64 ^ v2
            v2 = (v2 << 32 | v2 >> 32) & _ALL64
        v0 ^= number
    return v0 ^ v1 ^ v2 ^ v3
