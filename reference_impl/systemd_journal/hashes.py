"""The two hash functions that journal files use (SDJ-021, SDJ-022).

Upstream: systemd ``src/libsystemd/sd-journal/lookup3.c``, ``src/basic/siphash24.c``.
"""

from __future__ import annotations

import struct

_M32 = 0xFFFFFFFF
_M64 = 0xFFFFFFFFFFFFFFFF


def jenkins64(data: bytes) -> int:
    """Return Bob Jenkins' ``hashlittle2`` with seeds of 0, the first result in the high half."""
    a: int
    b: int
    c: int
    a = b = c = (0xDEADBEEF + len(data)) & _M32
    if not data:
        return c << 32 | b
    # The last block holds 1 to 12 bytes, and is mixed differently from the blocks before it.
    padded = data + bytes(-len(data) % 12)
    numbers = struct.unpack(f"<{len(padded) // 4}I", padded)
    for at in range(0, len(numbers) - 3, 3):
        a = (a + numbers[at]) & _M32
        b = (b + numbers[at + 1]) & _M32
        c = (c + numbers[at + 2]) & _M32
        a = (a - c) & _M32 ^ (c << 4 | c >> 28) & _M32
        c = (c + b) & _M32
        b = (b - a) & _M32 ^ (a << 6 | a >> 26) & _M32
        a = (a + c) & _M32
        c = (c - b) & _M32 ^ (b << 8 | b >> 24) & _M32
        b = (b + a) & _M32
        a = (a - c) & _M32 ^ (c << 16 | c >> 16) & _M32
        c = (c + b) & _M32
        b = (b - a) & _M32 ^ (a << 19 | a >> 13) & _M32
        a = (a + c) & _M32
        c = (c - b) & _M32 ^ (b << 4 | b >> 28) & _M32
        b = (b + a) & _M32
    a = (a + numbers[-3]) & _M32
    b = (b + numbers[-2]) & _M32
    c = (c + numbers[-1]) & _M32
    c = ((c ^ b) - (b << 14 | b >> 18)) & _M32
    a = ((a ^ c) - (c << 11 | c >> 21)) & _M32
    b = ((b ^ a) - (a << 25 | a >> 7)) & _M32
    c = ((c ^ b) - (b << 16 | b >> 16)) & _M32
    a = ((a ^ c) - (c << 4 | c >> 28)) & _M32
    b = ((b ^ a) - (a << 14 | a >> 18)) & _M32
    c = ((c ^ b) - (b << 24 | b >> 8)) & _M32
    return c << 32 | b


def siphash24(data: bytes, key: bytes) -> int:
    """Return the SipHash-2-4 with a 16-byte key as an unsigned 64-bit number."""
    k0: int = int.from_bytes(key[:8], "little")
    k1: int = int.from_bytes(key[8:], "little")
    v0: int
    v1: int
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    tail = bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    whole = data + tail
    m64 = _M64
    numbers: tuple[int, ...] = struct.unpack(f"<{len(whole) // 8}Q", whole)
    for number in (*numbers, None):
        if number is None:
            v2 ^= 0xFF
            rounds = 4
        else:
            v3 ^= number
            rounds = 2
        for _ in range(rounds):
            v0 = (v0 + v1) & m64
            v1 = (v1 << 13 | v1 >> 51) & m64 ^ v0
            v0 = (v0 << 32 | v0 >> 32) & m64
            v2 = (v2 + v3) & m64
            v3 = (v3 << 16 | v3 >> 48) & m64 ^ v2
            v0 = (v0 + v3) & m64
            v3 = (v3 << 21 | v3 >> 43) & m64 ^ v0
            v2 = (v2 + v1) & m64
            v1 = (v1 << 17 | v1 >> 47) & m64 ^ v2
            v2 = (v2 << 32 | v2 >> 32) & m64
        if number is not None:
            v0 ^= number
    return v0 ^ v1 ^ v2 ^ v3
