"""Both hashes of journal files (SDJ-021, SDJ-022), and whether a payload is text: kernels."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import numpy as np

from walproof.scan.compiled import BYTES, helper, int64, kernel, types, uint32, uint64
from walproof.scan.memory import load32, load64, trailing_zeros

_S0, _S1 = np.uint64(0x736F6D6570736575), np.uint64(0x646F72616E646F6D)
_S2, _S3 = np.uint64(0x6C7967656E657261), np.uint64(0x7465646279746573)
_FF = np.uint64(0xFF)
_HIGH = np.uint64(0x8080808080808080)
_ONES = np.uint64(0x0101010101010101)
_SPACES = np.uint64(0x2020202020202020)
_EQUALS = np.uint64(0x3D3D3D3D3D3D3D3D)


@helper()
def _rotate(value, bits):
    return (value << uint64(bits)) | (value >> uint64(64 - bits))


@helper()
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


@helper(uint64(BYTES, int64, int64))
def _tail(data, start, end):
    """The last bytes that fill no word, as one."""
    left = (end - start) & 7
    if left == 0:
        return uint64(0)
    if end - start >= 8:
        return load64(data, end - 8) >> uint64(64 - 8 * left)
    word, shift = uint64(0), uint64(0)
    for at in range(start, end):
        word |= uint64(data[at]) << shift
        shift += uint64(8)
    return word


@helper(types.uint64(BYTES, int64, int64, uint64, uint64, uint64, uint64))
def _siphash_end(data, start, end, v0, v1, v2, v3):
    """The last bytes, their count, and the rounds that end it."""
    word = (uint64(end - start) << uint64(56)) | _tail(data, start, end)
    v3 ^= word
    v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
    v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
    v0 ^= word
    v2 ^= _FF
    for _ in range(4):
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
    return v0 ^ v1 ^ v2 ^ v3


@helper(types.UniTuple(uint64, 2)(BYTES, int64, int64, uint64, uint64))
def _siphash(data, start, end, k0, k1):
    """The hash, and of each byte in a whole word its highest bit if it may not be text.

    The rounds wait for each other, so to look for text meanwhile costs nothing.
    """
    v0, v1, v2, v3 = k0 ^ _S0, k1 ^ _S1, k0 ^ _S2, k1 ^ _S3
    at, odd = start, uint64(0)
    while at + 8 <= end:
        word = load64(data, at)
        odd |= ((word - _SPACES) & ~word) | (word + _ONES) | word
        v3 ^= word
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
        v0 ^= word
        at += 8
    return _siphash_end(data, start, end, v0, v1, v2, v3), odd & _HIGH


@helper(types.UniTuple(uint64, 4)(BYTES, int64, int64, int64, int64, uint64, uint64))
def _siphash_two(data, start, end, second, second_end, k0, k1):
    """``_siphash`` of two, which wait for themselves but not for each other."""
    v0, v1, v2, v3 = k0 ^ _S0, k1 ^ _S1, k0 ^ _S2, k1 ^ _S3
    w0, w1, w2, w3 = v0, v1, v2, v3
    at, second_at, odd, second_odd = start, second, uint64(0), uint64(0)
    while at + 8 <= end and second_at + 8 <= second_end:
        word, other = load64(data, at), load64(data, second_at)
        odd |= ((word - _SPACES) & ~word) | (word + _ONES) | word
        second_odd |= ((other - _SPACES) & ~other) | (other + _ONES) | other
        v3 ^= word
        w3 ^= other
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
        w0, w1, w2, w3 = _sipround(w0, w1, w2, w3)
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
        w0, w1, w2, w3 = _sipround(w0, w1, w2, w3)
        v0 ^= word
        w0 ^= other
        at += 8
        second_at += 8
    while at + 8 <= end:
        word = load64(data, at)
        odd |= ((word - _SPACES) & ~word) | (word + _ONES) | word
        v3 ^= word
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
        v0, v1, v2, v3 = _sipround(v0, v1, v2, v3)
        v0 ^= word
        at += 8
    while second_at + 8 <= second_end:
        word = load64(data, second_at)
        second_odd |= ((word - _SPACES) & ~word) | (word + _ONES) | word
        w3 ^= word
        w0, w1, w2, w3 = _sipround(w0, w1, w2, w3)
        w0, w1, w2, w3 = _sipround(w0, w1, w2, w3)
        w0 ^= word
        second_at += 8
    return (
        _siphash_end(data, start, end, v0, v1, v2, v3),
        odd & _HIGH,
        _siphash_end(data, second, second_end, w0, w1, w2, w3),
        second_odd & _HIGH,
    )


@helper()
def _turn(value, bits):
    return uint32(uint32(value << uint32(bits)) | (value >> uint32(32 - bits)))


@helper()
def _tail_word(data, at, end):
    word = uint32(0)
    shift = uint32(0)
    while at < end and shift < uint32(32):
        word |= uint32(data[at]) << shift
        shift += uint32(8)
        at += 1
    return word


@helper(uint64(BYTES, int64, int64))
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


@helper(uint64(BYTES, int64, int64, types.UniTuple(uint64, 3)))
def hash_of(data, start, end, keys):
    """The hash of ``data[start:end]``; ``keys`` is (keyed?, low half, high half of the key)."""
    if keys[0]:
        return _siphash(data, start, end, keys[1], keys[2])[0]
    return _jenkins(data, start, end)


@helper(int64(BYTES, int64, int64))
def name_length(data, start, end):
    """Bytes of the name in ``NAME=value``; 0 when it is no such thing (SDJ-045, SDJ-086)."""
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


@helper(int64(BYTES, int64, int64))
def name_end(data, start, end):
    """Bytes in front of the first ``=``; 0 if there is none within 64 of them."""
    at = start
    while at + 8 <= end and at - start <= 64:
        word = load64(data, at) ^ _EQUALS
        found = (word - _ONES) & ~word & _HIGH
        if found:
            length = at - start + (trailing_zeros(found) >> 3)
            return length if length <= 64 else int64(0)
        at += 8
    while at < end and at - start <= 64:
        if data[at] == 61:
            return at - start
        at += 1
    return int64(0)


@helper(types.boolean(BYTES, int64, int64))
def _is_text_slowly(data, at, end):
    while at < end:
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
        char = types.int64(byte) & (0x3F >> more)
        for number in range(1, more + 1):
            following = types.int64(data[at + number])
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


@helper(types.boolean(BYTES, int64, int64))
def is_text(data, start, end):
    """Whether a payload may stand on a line of its own in export format (SDJ-090)."""
    at = start
    while at + 8 <= end:
        word = load64(data, at)
        below = (word - _SPACES) & ~word
        if ((below | (word + _ONES) | word) & _HIGH) != 0:
            return _is_text_slowly(data, at, end)
        at += 8
    return _is_text_slowly(data, at, end)


@helper(types.boolean(BYTES, int64, int64, uint64))
def _is_text_by(data, start, end, odd):
    """``is_text`` of what siphash has gone through; ``odd`` is what it said."""
    if odd or end - start < 8:
        return is_text(data, start, end)
    word = load64(data, end - 8)
    odd = ((word - _SPACES) & ~word) | (word + _ONES) | word
    return odd & _HIGH == 0 or is_text(data, start, end)


@helper(
    types.Tuple((uint64, types.boolean))(BYTES, int64, int64, types.UniTuple(uint64, 3)),
)
def hash_and_text(data, start, end, keys):
    """``hash_of`` and ``is_text`` in one pass."""
    if keys[0] == 0:
        return _jenkins(data, start, end), is_text(data, start, end)
    found, odd = _siphash(data, start, end, keys[1], keys[2])
    return found, _is_text_by(data, start, end, odd)


_OF_TWO = types.Tuple((uint64, types.boolean, uint64, types.boolean))


@helper(_OF_TWO(BYTES, int64, int64, int64, int64, types.UniTuple(uint64, 3)))
def hash_and_text_of_two(data, start, end, second, second_end, keys):
    """``hash_and_text`` of two payloads, for less than twice the time; of keyed hashes only."""
    digest, odd, second_digest, second_odd = _siphash_two(
        data, start, end, second, second_end, keys[1], keys[2]
    )
    return (
        digest,
        _is_text_by(data, start, end, odd),
        second_digest,
        _is_text_by(data, second, second_end, second_odd),
    )


@kernel(types.uint64(BYTES, types.UniTuple(types.uint64, 3)))
def hash_whole(data, keys):
    """The hash of a whole array: of a payload that was decompressed."""
    return hash_of(data, 0, data.shape[0], keys)
