"""Compiled kernels for the two hash functions (SDJ-021, SDJ-022) and for detecting text."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np
from numpy import int64, uint32, uint64

from walproof.scanners.kernels import helper, load32, load64

_S0, _S1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
_S2, _S3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)
_FF = np.uint64(0xFF)


@helper
def _rotate(value, bits):
    return (value << uint64(bits)) | (value >> uint64(64 - bits))


@helper
def _sipround(v0, v1, v2, v3):
    v0 += v1
    v1 = _rotate(v1, 13) ^ v0
    v0 = _rotate(v0, 32)
    v2 += v3
    v3 = _rotate(v3, 16) ^ v2
    v0 += v3
    v3 = _rotate(v3, 21) ^ v0
    v2 += v1
    v1 = _rotate(v1, 17) ^ v2
    v2 = _rotate(v2, 32)
    return v0, v1, v2, v3


@helper
def _tail(data, start, end):
    """Return the bytes after the last full word as a word, padded with zeros."""
    word, shift = uint64(0), uint64(0)
    for at in range(end - ((end - start) & 7), end):
        word |= uint64(data[at]) << shift
        shift += uint64(8)
    return word


@helper
def _siphash(data, start, end, k0, k1):
    v0, v1, v2, v3 = k0 ^ _S0, k1 ^ _S1, k0 ^ _S2, k1 ^ _S3
    at = start
    while at + 8 <= end:
        word = load64(data, at)
        v3 ^= word
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
        v0 ^= word
        at += 8
    word = (uint64(end - start) << uint64(56)) | _tail(data, start, end)
    v3 ^= word
    v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
    v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
    v0 ^= word
    v2 ^= _FF
    for _ in range(4):
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@helper
def _turn(value, bits):
    return uint32(uint32(value << uint32(bits)) | (value >> uint32(32 - bits)))


@helper
def _tail_word(data, at, end):
    word = uint32(0)
    shift = uint32(0)
    while at < end and shift < uint32(32):
        word |= uint32(data[at]) << shift
        shift += uint32(8)
        at += 1
    return word


@helper
def _jenkins(data, start, end):
    a = b = c = uint32(uint32(0xDEADBEEF) + uint32(end - start))
    if start == end:
        return (uint64(c) << uint64(32)) | uint64(b)
    at = start
    while end - at > 12:
        a = uint32(a + uint32(load32(data, at)))
        b = uint32(b + uint32(load32(data, at + 4)))
        c = uint32(c + uint32(load32(data, at + 8)))
        a = uint32(a - c) ^ _turn(c, 4)
        c = uint32(c + b)
        b = uint32(b - a) ^ _turn(a, 6)
        a = uint32(a + c)
        c = uint32(c - b) ^ _turn(b, 8)
        b = uint32(b + a)
        a = uint32(a - c) ^ _turn(c, 16)
        c = uint32(c + b)
        b = uint32(b - a) ^ _turn(a, 19)
        a = uint32(a + c)
        c = uint32(c - b) ^ _turn(b, 4)
        b = uint32(b + a)
        at += 12
    a = uint32(a + _tail_word(data, at, end))
    b = uint32(b + _tail_word(data, at + 4, end))
    c = uint32(c + _tail_word(data, at + 8, end))
    c = uint32((c ^ b) - _turn(b, 14))
    a = uint32((a ^ c) - _turn(c, 11))
    b = uint32((b ^ a) - _turn(a, 25))
    c = uint32((c ^ b) - _turn(b, 16))
    a = uint32((a ^ c) - _turn(c, 4))
    b = uint32((b ^ a) - _turn(a, 14))
    c = uint32((c ^ b) - _turn(b, 24))
    return (uint64(c) << uint64(32)) | uint64(b)


@helper
def hash_of(data, start, end, keys):
    """Return the hash of ``data[start:end]``.

    ``keys`` is a tuple: whether the hash is keyed, and the low and the high half of the key.
    """
    if keys[0]:
        return _siphash(data, start, end, keys[1], keys[2])
    return _jenkins(data, start, end)


@helper
def name_length(data, start, end):
    """Return the length of the name in ``NAME=value``, or 0 if it is invalid (SDJ-045, SDJ-086)."""
    at = start
    while at < end and at - start <= 64:
        byte = data[at]
        if byte == 61:
            return at - start
        letter = 65 <= byte <= 90 or byte == 95
        if not letter and not (48 <= byte <= 57 and at > start):
            return 0
        at += 1
    return 0


@helper
def _is_printable(word):
    ones = uint64(0x0101010101010101)
    return (word | word - uint64(0x20) * ones | word + ones) & uint64(0x80) * ones == 0


@helper
def is_text(data, at, end):
    """Return whether the export format can write a payload as a single line (SDJ-090)."""
    while at < end:
        if at + 8 <= end and _is_printable(load64(data, at)):
            at += 8
            continue
        byte = data[at]
        if byte < 0x80:
            if (byte < 0x20 and byte != 9) or byte == 0x7F:
                return False
            at += 1
            continue
        if byte < 0xC2 or byte > 0xF4:
            return False
        more = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
        if at + more >= end:
            return False
        char = int64(byte) & (0x3F >> more)
        for number in range(1, more + 1):
            following = int64(data[at + number])
            if following & 0xC0 != 0x80:
                return False
            char = char << 6 | (following & 0x3F)
        if (more == 2 and char < 0x800) or (more == 3 and char < 0x10000):
            return False
        if 0xD800 <= char <= 0xDFFF or char > 0x10FFFF:
            return False
        if char < 0xA0 or 0xFDD0 <= char <= 0xFDEF or char & 0xFFFE == 0xFFFE:
            return False
        at += more + 1
    return True
