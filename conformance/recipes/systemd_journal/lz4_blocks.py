"""LZ4 blocks: the offsets of matches, and their distance from the end of the output."""

from __future__ import annotations

import struct

from conformance.recipes.systemd_journal.compression import (
    expect_big_field,
    lz4_block_of_literals,
    with_payload,
)
from conformance.recipes.systemd_journal.log import COMPRESSION, SystemdLog
from reference_impl.systemd_journal import layout

#: The literals before the match. The match copies from these literals.
HEAD = b"BIG=abcd"


def _block(
    log: SystemdLog,
    reason: str | None,
    *,
    offset: int,
    match: int,
    tail: bytes,
    head: bytes = HEAD,
) -> None:
    """Store a block that consists of the literals ``head``, one match, and the literals ``tail``.

    If the offset of the match is invalid, the expected text has ``match`` zeros instead.
    """
    copied = head[-offset:] * match if 0 < offset <= len(head) else bytes(match)
    plain = head + copied[:match] + tail
    stored = struct.pack("<Q", len(plain)) + bytes([len(head) << 4 | match - 4]) + head
    stored += struct.pack("<H", offset) + bytes([len(tail) << 4]) + tail
    with_payload(log, plain, stored, layout.OBJECT_LZ4, layout.LZ4)
    expect_big_field(log, reason, plain)


@COMPRESSION.valid("SDJ-029", kind="limit")
def lz4_match_as_near_to_the_end_as_may_be(log: SystemdLog) -> None:
    """The last match of an LZ4 block begins exactly 12 bytes before the end of the output, and five
    literals follow it."""
    _block(log, None, offset=4, match=7, tail=b"12345")


@COMPRESSION.valid("SDJ-029", kind="limit")
def lz4_match_of_all_that_is_there(log: SystemdLog) -> None:
    """The offset of a match in an LZ4 block points to the first byte of the output."""
    _block(log, None, offset=len(HEAD), match=8, tail=b"12345")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029")
def lz4_match_of_offset_zero(log: SystemdLog) -> None:
    """A match in an LZ4 block has the invalid offset 0. The stored hash fits zeros in place of the
    match."""
    _block(log, "bad-compression", offset=0, match=7, tail=b"12345")
    log.note("liblz4 accepts the block, and returns zeros or whatever was in memory.")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029")
def lz4_match_before_the_start(log: SystemdLog) -> None:
    """The offset of a match in an LZ4 block points one byte before the start of the output."""
    _block(log, "bad-compression", offset=len(HEAD) + 1, match=7, tail=b"12345")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", kind="limit")
def lz4_match_too_near_to_the_end(log: SystemdLog) -> None:
    """The last match of an LZ4 block begins 11 bytes before the end of the output, one byte too
    late."""
    _block(log, "bad-compression", offset=4, match=4, tail=b"1234567")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", kind="limit")
def lz4_four_literals_at_the_end(log: SystemdLog) -> None:
    """The last match of an LZ4 block begins 12 bytes before the end of the output, but only four
    literals follow it."""
    _block(log, "bad-compression", offset=4, match=8, tail=b"1234")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", kind="limit")
def lz4_four_literals_at_the_end_of_a_long_sequence(log: SystemdLog) -> None:
    """Only four literals follow the last match of a block. liblz4 decodes this block by a
    shortcut."""
    _block(log, "bad-compression", offset=8, match=14, tail=b"1234", head=HEAD + b"efghij")


def _sequence(literals: bytes, offset: int, match: int) -> bytes:
    token = min(len(literals), 15) << 4 | min(match - 4, 15)
    lengths = [_more(len(literals)), _more(match - 4)]
    return bytes([token]) + lengths[0] + literals + struct.pack("<H", offset) + lengths[1]


def _more(length: int) -> bytes:
    """Return the length bytes that follow a token if its four bits cannot hold the length."""
    return b"" if length < 15 else b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255])


def _stored(log: SystemdLog, reason: str | None, plain: bytes, *parts: bytes) -> None:
    stored = struct.pack("<Q", len(plain)) + b"".join(parts)
    with_payload(log, plain, stored, layout.OBJECT_LZ4, layout.LZ4)
    expect_big_field(log, reason, plain)


@COMPRESSION.valid("SDJ-029", kind="limit")
def lz4_lengths_of_several_bytes(log: SystemdLog) -> None:
    """An LZ4 block has literals of 15, 16, 270 and 524 bytes. A decoder that misreads their
    additional length bytes finds a match with offset 0."""
    first = b"BIG=" + b"\1" * 4 + bytes(7)
    sequences = [(first, 1, 19), (bytes(270), 256, 274), (bytes(16), 1, 20), (bytes(524), 512, 4)]
    plain = first + bytes(19 + 270 + 274 + 16 + 20 + 524 + 4 + 12)
    _stored(log, None, plain, *[_sequence(*one) for one in sequences], b"\xc0" + bytes(12))


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029")
def lz4_match_of_offset_zero_after_long_lengths(log: SystemdLog) -> None:
    """In an LZ4 block with lengths of several bytes, a match has the invalid offset 0. The stored
    hash fits zeros in place of the match."""
    first = b"BIG=" + b"\1" * 4 + b"x" * 7
    plain = first + b"x" * 19 + b"y" * 270 + bytes(274) + b"z" * 15
    sequences = _sequence(first, 1, 19), _sequence(b"y" * 270, 0, 274)
    _stored(log, "bad-compression", plain, *sequences, b"\xf0\0" + b"z" * 15)
    log.note("liblz4 accepts the block, and returns zeros or whatever was in memory.")


@COMPRESSION.valid("SDJ-029", kind="limit")
def lz4_block_of_four_literals(log: SystemdLog) -> None:
    """An LZ4 block without a match has only four literals, which is valid."""
    _stored(log, None, b"BIG=", b"\x40BIG=")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029")
def lz4_block_that_ends_with_a_match(log: SystemdLog) -> None:
    """An LZ4 block ends with a match and lacks its last sequence."""
    first = b"BIG=" + b"\1" * 4 + bytes(7)
    _stored(log, "bad-compression", first + bytes(19), _sequence(first, 1, 19))


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029")
def lz4_match_at_the_end(log: SystemdLog) -> None:
    """The last sequence of an LZ4 block has no literals."""
    _block(log, "bad-compression", offset=4, match=12, tail=b"")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", kind="eof")
def lz4_block_that_ends_in_a_length(log: SystemdLog) -> None:
    """An LZ4 block ends inside the length of its last literals."""
    plain = HEAD + HEAD[-4:] + bytes(15 + 255)
    stored = struct.pack("<Q", len(plain)) + bytes([len(HEAD) << 4]) + HEAD
    stored += struct.pack("<H", 4) + b"\xf0\xff"
    with_payload(log, plain, stored, layout.OBJECT_LZ4, layout.LZ4)
    expect_big_field(log, "bad-compression", plain)
