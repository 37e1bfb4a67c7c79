"""LZ4 blocks: where a match may lead, and how near to the end one may be."""

from __future__ import annotations

import struct

from conformance.recipes.systemd_journal.compression import (
    expect_big_field,
    lz4_block_of_literals,
    with_payload,
)
from conformance.recipes.systemd_journal.log import BOOK, SystemdLog
from reference_impl.systemd_journal import layout

HEAD = b"BIG=abcd"
"""The literals before the match, which copies some of them."""


def _block(log: SystemdLog, reason: str | None, *, offset: int, match: int, tail: bytes) -> None:
    """One match after ``HEAD``, then the literals ``tail``.

    A ``match`` of an offset that leads nowhere stands for as many zeros.
    """
    copied = HEAD[-offset:] * match if 0 < offset <= len(HEAD) else bytes(match)
    plain = HEAD + copied[:match] + tail
    stored = struct.pack("<Q", len(plain)) + bytes([len(HEAD) << 4 | match - 4]) + HEAD
    stored += struct.pack("<H", offset) + bytes([len(tail) << 4]) + tail
    with_payload(log, plain, stored, layout.OBJECT_LZ4, layout.LZ4)
    if reason:
        log.did("splice another LZ4 block over the payload")
    expect_big_field(log, reason, plain)


@BOOK.valid("compression", "SDJ-029", kind="limit")
def lz4_match_as_near_to_the_end_as_may_be(log: SystemdLog) -> None:
    """The last match begins twelve bytes before the end, and five literals follow it."""
    _block(log, None, offset=4, match=7, tail=b"12345")


@BOOK.valid("compression", "SDJ-029", kind="limit")
def lz4_match_of_all_that_is_there(log: SystemdLog) -> None:
    """The offset of a match leads to the first byte."""
    _block(log, None, offset=len(HEAD), match=8, tail=b"12345")


@BOOK.damaged(lz4_block_of_literals, "compression", "SDJ-029")
def lz4_match_of_offset_zero(log: SystemdLog) -> None:
    """A match of offset 0 copies what is not there yet, although the hash is that of zeros."""
    _block(log, "bad-compression", offset=0, match=7, tail=b"12345")
    log.note("liblz4 takes the block, and gives zeros or whatever was in memory.")


@BOOK.damaged(lz4_block_of_literals, "compression", "SDJ-029")
def lz4_match_before_the_start(log: SystemdLog) -> None:
    """The offset of a match is one more than the bytes before it."""
    _block(log, "bad-compression", offset=len(HEAD) + 1, match=7, tail=b"12345")


@BOOK.damaged(lz4_block_of_literals, "compression", "SDJ-029", kind="limit")
def lz4_match_too_near_to_the_end(log: SystemdLog) -> None:
    """The last match begins eleven bytes before the end."""
    _block(log, "bad-compression", offset=4, match=4, tail=b"1234567")


@BOOK.damaged(lz4_block_of_literals, "compression", "SDJ-029", kind="limit")
def lz4_four_literals_at_the_end(log: SystemdLog) -> None:
    """Four literals follow the last match, which begins twelve bytes before the end."""
    _block(log, "bad-compression", offset=4, match=8, tail=b"1234")


@BOOK.damaged(lz4_block_of_literals, "compression", "SDJ-029")
def lz4_match_at_the_end(log: SystemdLog) -> None:
    """A block whose last sequence has no literals."""
    _block(log, "bad-compression", offset=4, match=12, tail=b"")
