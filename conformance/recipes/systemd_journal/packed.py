"""Compressed payloads at their limits: the limit of a field, memory limits, and stated sizes."""

from __future__ import annotations

import lzma
import struct
import zlib

import zstandard

from conformance.recipes.systemd_journal.compression import (
    expect_big_field,
    lz4_block_of_literals,
    with_payload,
    xz_stream_with_a_check,
    zstd_frame_with_bytes_behind_it,
)
from conformance.recipes.systemd_journal.log import COMPRESSION, SystemdLog
from reference_impl.systemd_journal import layout

PLAIN = b"BIG=" + b"A" * 600
SMALL = b"BIG=walproof"
LONGER = b"BIG=" + b"A" * 4998


def _zstd(log: SystemdLog, stored: bytes, reason: str | None) -> None:
    with_payload(log, PLAIN, stored, layout.OBJECT_ZSTD, layout.ZSTD)
    expect_big_field(log, reason, PLAIN)


def _xz(log: SystemdLog, stored: bytes, reason: str | None) -> None:
    with_payload(log, PLAIN, stored, layout.OBJECT_XZ, layout.XZ)
    expect_big_field(log, reason, PLAIN)


def _lz4(log: SystemdLog, size: int, block: bytes, reason: str) -> None:
    with_payload(log, SMALL, struct.pack("<Q", size) + block, layout.OBJECT_LZ4, layout.LZ4)
    expect_big_field(log, reason, SMALL)


def _frame(blocks: list[bytes], *, window: int | None = None) -> bytes:
    """Return a ZSTD frame that states the size of PLAIN and stores its blocks uncompressed."""
    made = b"\x28\xb5\x2f\xfd"
    made += b"\x60" if window is None else bytes([0x40, window])
    made += struct.pack("<H", len(PLAIN) - 256)
    for number, block in enumerate(blocks):
        is_last = number == len(blocks) - 1
        made += struct.pack("<I", len(block) << 3 | is_last)[:3] + block
    return made


@COMPRESSION.valid("SDJ-031", kind="limit")
def zstd_field_at_the_limit(log: SystemdLog) -> None:
    """A ZSTD field whose decompressed size is exactly the limit of a field."""
    log.context["max_field_size"] = len(PLAIN)
    _zstd(log, zstandard.ZstdCompressor().compress(PLAIN), None)


@COMPRESSION.valid("SDJ-031", kind="limit")
def xz_field_at_the_limit(log: SystemdLog) -> None:
    """An XZ field whose decompressed size is exactly the limit of a field."""
    log.context["max_field_size"] = len(PLAIN)
    _xz(log, lzma.compress(PLAIN, lzma.FORMAT_XZ, lzma.CHECK_NONE), None)


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-031", kind="valid")
def lz4_field_at_the_limit(log: SystemdLog) -> None:
    """An LZ4 field whose decompressed size is exactly the limit of a field."""
    log.context["max_field_size"] = len(SMALL)
    log.expect("intact", survivors=[0])


@COMPRESSION.valid("SDJ-030", kind="limit")
def zstd_window_of_256_mib(log: SystemdLog) -> None:
    """A ZSTD frame requires a window of 256 MiB for 604 bytes of content."""
    _zstd(log, _frame([PLAIN], window=0x90), None)


#: The window descriptor of a frame that requires a window of 2^32 bytes.
WINDOW_OF_4_GIB = 22 << 3


@COMPRESSION.damaged(zstd_frame_with_bytes_behind_it, "SDJ-030", kind="limit")
def zstd_window_of_4_gib(log: SystemdLog) -> None:
    """A ZSTD frame requires a window of 4 GiB, which is too large."""
    _zstd(log, _frame([PLAIN], window=WINDOW_OF_4_GIB), "bad-compression")


@COMPRESSION.damaged(zstd_frame_with_bytes_behind_it, "SDJ-030", "SDJ-031", kind="limit")
def zstd_window_of_4_gib_above_the_limit(log: SystemdLog) -> None:
    """A ZSTD frame requires a window of 4 GiB and states a size above the limit of a field. The
    fault is `bad-compression`, not `too-large`."""
    log.context["max_field_size"] = len(PLAIN) - 1
    _zstd(log, _frame([PLAIN], window=WINDOW_OF_4_GIB), "bad-compression")


@COMPRESSION.damaged(zstd_frame_with_bytes_behind_it, "SDJ-030")
def zstd_frame_with_more_than_it_states(log: SystemdLog) -> None:
    """A ZSTD frame states 604 bytes. Its first two blocks contain all of them, and a third block
    adds one byte."""
    _zstd(log, _frame([PLAIN[:300], PLAIN[300:], b"A"]), "bad-compression")


@COMPRESSION.damaged(zstd_frame_with_bytes_behind_it, "SDJ-021", "SDJ-045")
def zstd_frame_of_nothing(log: SystemdLog) -> None:
    """A ZSTD frame has no content, and the hash matches the empty payload. An empty payload is not
    a field."""
    stored = b"\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"
    with_payload(log, PLAIN, stored, layout.OBJECT_ZSTD, layout.ZSTD)
    at = log.data.index(stored) - 64
    log.data[at + 16 : at + 24] = 0xDEADBEEFDEADBEEF.to_bytes(8, "little")
    expect_big_field(log, "bad-field", PLAIN)


@COMPRESSION.damaged(zstd_frame_with_bytes_behind_it, "SDJ-030")
def zstd_frame_with_less_than_it_states(log: SystemdLog) -> None:
    """A ZSTD frame states 604 bytes, but its blocks contain 603 bytes."""
    _zstd(log, _frame([PLAIN[:300], PLAIN[300:-1]]), "bad-compression")


@COMPRESSION.valid("SDJ-030", kind="limit")
def zstd_frame_without_its_last_block(log: SystemdLog) -> None:
    """A ZSTD frame has all of its content, but lacks its last block, which is empty."""
    stored = _frame([PLAIN[:300], PLAIN[300:], b""])[:-3]
    _zstd(log, stored, None)
    no_frame = bytes(log.data).replace(stored, bytes(4) + stored[4:])
    log.also_accept_as_of(no_frame, "systemd 262 accepts only frames with a last block")


def _with_dictionary(exponent: int) -> bytes:
    """Return an XZ stream with this dictionary size, given in the encoding of LZMA2."""
    stored = bytearray(lzma.compress(PLAIN, lzma.FORMAT_XZ, lzma.CHECK_NONE))
    end = 12 + (stored[12] + 1) * 4 - 4
    stored[stored.index(b"\x21\x01", 12) + 2] = exponent
    stored[end : end + 4] = struct.pack("<I", zlib.crc32(stored[12:end]))
    return bytes(stored)


@COMPRESSION.valid("SDJ-028", kind="limit")
def xz_dictionary_of_192_mib(log: SystemdLog) -> None:
    """An XZ stream has a dictionary of 192 MiB, the largest allowed size."""
    _xz(log, _with_dictionary(31), None)


@COMPRESSION.damaged(xz_stream_with_a_check, "SDJ-028", kind="limit")
def xz_dictionary_of_256_mib(log: SystemdLog) -> None:
    """An XZ stream has a dictionary of 256 MiB, so it needs more than 256 MiB of memory."""
    _xz(log, _with_dictionary(32), "bad-compression")


def _chunk(plain: bytes, states: int) -> bytes:
    """Return the start of an XZ stream, up to one uncompressed chunk with this stated size."""
    stored = lzma.compress(plain, lzma.FORMAT_XZ, lzma.CHECK_NONE)
    return stored[: 12 + (stored[12] + 1) * 4] + b"\x01" + struct.pack(">H", states - 1) + plain


@COMPRESSION.damaged(xz_stream_with_a_check, "SDJ-028", "SDJ-031", kind="limit")
def xz_stream_broken_after_the_limit(log: SystemdLog) -> None:
    """An XZ stream is invalid after 604 bytes, two bytes past the limit of a field: the fault is
    `too-large`."""
    log.context["max_field_size"] = len(PLAIN) - 2
    _xz(log, _chunk(PLAIN, len(PLAIN)) + b"\x40", "too-large")


@COMPRESSION.damaged(xz_stream_with_a_check, "SDJ-028", "SDJ-031", kind="limit")
def xz_stream_of_5002_bytes_broken_after_the_limit(log: SystemdLog) -> None:
    """An XZ stream is invalid after 5,002 bytes, two bytes past the limit of a field: the fault is
    `too-large`."""
    log.context["max_field_size"] = len(LONGER) - 2
    stored = _chunk(LONGER, len(LONGER)) + b"\x40"
    with_payload(log, LONGER, stored, layout.OBJECT_XZ, layout.XZ)
    expect_big_field(log, "too-large", LONGER)


@COMPRESSION.damaged(xz_stream_with_a_check, "SDJ-028", "SDJ-031", kind="limit")
def xz_chunk_cut_short(log: SystemdLog) -> None:
    """An XZ chunk states 60,000 bytes but ends after 5,002 bytes, below the limit of a field: the
    fault is `bad-compression`."""
    log.context["max_field_size"] = 20000
    with_payload(log, LONGER, _chunk(LONGER, 60000), layout.OBJECT_XZ, layout.XZ)
    expect_big_field(log, "bad-compression", LONGER)


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029")
def lz4_block_cut_short(log: SystemdLog) -> None:
    """The token of an LZ4 block announces twelve literals, but only seven follow."""
    _lz4(log, len(SMALL), bytes([12 << 4]) + SMALL[:7], "bad-compression")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029")
def lz4_size_with_its_last_byte_set(log: SystemdLog) -> None:
    """An LZ4 size is 2^56 bytes too large, because the last of its eight bytes is 1."""
    _lz4(log, len(SMALL) + (1 << 56), bytes([12 << 4]) + SMALL, "bad-compression")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", "SDJ-031")
def lz4_size_without_a_block(log: SystemdLog) -> None:
    """An LZ4 payload states a size above the limit of a field, but has no block: the fault is
    `bad-compression`, not `too-large`."""
    log.context["max_field_size"] = 11
    _lz4(log, len(SMALL), b"", "bad-compression")


@COMPRESSION.damaged(lz4_block_of_literals, "SDJ-029", "SDJ-031")
def lz4_size_with_a_block_of_one_byte(log: SystemdLog) -> None:
    """An LZ4 payload states a size above the limit of a field and has an invalid block of one byte:
    the fault is `too-large`."""
    log.context["max_field_size"] = 11
    _lz4(log, len(SMALL), b"\x00", "too-large")
