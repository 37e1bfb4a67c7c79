"""Compress and decompress the payloads of DATA objects (SDJ-026 to SDJ-032).

Upstream: systemd ``src/basic/compress.c``.
"""

from __future__ import annotations

import io
import lzma
from typing import Any

import lz4.block  # type: ignore[import-untyped,unused-ignore]
import zstandard

from reference_impl.systemd_journal.layout import OBJECT_LZ4, OBJECT_XZ, OBJECT_ZSTD

# Minimum size in bytes of a ``FIELD=value`` text that systemd compresses (SDJ-032).
THRESHOLD = 512

XZ_SMALLEST = 80
# Minimum number of literals at the end of a block that contains a match (SDJ-029).
LZ4_LAST_LITERALS = 5
MEMORY_LIMIT = 256 << 20

# Number of bytes that are decompressed in one step from an XZ stream (SDJ-103).
PIECE = 4096


class BadCompression(ValueError):
    """Raised if a payload cannot be decompressed.

    ``spent`` is the number of decompressed bytes to count for the attempt (SDJ-103).
    """

    def __init__(self, text: str, spent: int = 0) -> None:
        super().__init__(text)
        self.spent = spent


class TooLarge(BadCompression):
    """Raised if the decompressed payload exceeds the reader's limit."""


def decompress(payload: bytes, flag: int, limit: int) -> bytes:
    """Decompress a payload, as its object flag specifies, to at most ``limit`` bytes.

    Raises :class:`BadCompression` and :class:`TooLarge`.
    """
    if flag == OBJECT_XZ:
        return _unxz(payload, limit)
    if flag == OBJECT_LZ4:
        return _unlz4(payload, limit)
    if flag == OBJECT_ZSTD:
        return _unzstd(payload, limit)
    raise BadCompression("more than one compression flag")  # SDJ-026


def compress(payload: bytes, flag: int) -> bytes | None:
    """Compress a payload, or return None if that would not make it smaller (SDJ-032)."""
    if flag == OBJECT_XZ:
        if len(payload) < XZ_SMALLEST:
            return None
        filters: list[dict[str, Any]] = [
            {
                "id": lzma.FILTER_LZMA2,
                "preset": 0,
                "dict_size": 1 << 20,
                "mode": lzma.MODE_FAST,
                "nice_len": 273,
                "mf": lzma.MF_HC3,
            }
        ]
        packed = lzma.compress(payload, lzma.FORMAT_XZ, lzma.CHECK_NONE, filters=filters)
    elif flag == OBJECT_LZ4:
        block = lz4.block.compress(payload, store_size=False)
        packed = len(payload).to_bytes(8, "little") + block
    else:
        # This frame states its content size but has no checksum.
        packed = zstandard.ZstdCompressor().compress(payload)
    return packed if len(packed) < len(payload) else None


def _unxz(payload: bytes, limit: int) -> bytes:
    """Decompress one .xz stream (SDJ-028)."""
    decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY_LIMIT)
    # A BytesIO returns its content without a copy. A bytearray would copy it.
    plain = io.BytesIO()
    while not decoder.eof:
        spent = min(limit, plain.tell() + PIECE)
        try:
            plain.write(decoder.decompress(payload, min(PIECE, limit + 1 - plain.tell())))
        except lzma.LZMAError as error:
            raise BadCompression(f"XZ: {error}", spent) from None
        payload = b""
        if plain.tell() > limit:
            raise TooLarge(f"XZ: more than the limit of {limit} bytes", spent)
        if decoder.needs_input:
            raise BadCompression("XZ: the stream ends early", spent)
    return plain.getvalue()


def _unlz4(payload: bytes, limit: int) -> bytes:
    """Decompress a bare block that follows its decompressed size, an le64 (SDJ-029)."""
    if len(payload) <= 8:
        raise BadCompression("LZ4: no block after the size")
    size = int.from_bytes(payload[:8], "little")
    # An LZ4 block cannot grow more than 255-fold, so a larger claim is false.
    if size > 255 * len(payload):
        raise BadCompression(f"LZ4: {size} bytes cannot come from {len(payload)}")
    if size > limit:
        raise TooLarge(f"LZ4: {size} bytes exceed the limit of {limit}")
    try:
        _check_lz4_block(payload[8:])
        plain = lz4.block.decompress(payload[8:], uncompressed_size=size)
    except (lz4.block.LZ4BlockError, ValueError, OverflowError) as error:
        raise BadCompression(f"LZ4: {error}", size) from None
    if len(plain) != size:
        raise BadCompression(f"LZ4: expected {size} bytes, found {len(plain)}", size)
    return bytes(plain)


def _check_lz4_block(block: bytes) -> None:
    """Raise ``ValueError`` for a block that different versions of liblz4 read differently.

    Such a block has a match with offset 0, or too few literals after its last match.
    """
    # If an offset is 0, liblz4 does not reject the block but returns uninitialised memory.
    at, is_copied = 0, False
    while at < len(block):
        token = block[at]
        at, literals = _lz4_length(block, at + 1, token >> 4)
        at += literals
        if at >= len(block):
            break  # The last sequence has no match. liblz4 checks its literals.
        if not any(block[at : at + 2]):
            raise ValueError("a match has offset 0")
        at, _ = _lz4_length(block, at + 2, token & 15)
        literals, is_copied = 0, True
    if is_copied and literals < LZ4_LAST_LITERALS:
        raise ValueError("too few literals at the end of the block")


def _lz4_length(block: bytes, at: int, length: int) -> tuple[int, int]:
    """Return the offset after a length, and the length, which begins with a token's four bits."""
    more = 255 if length == 15 else 0
    while more == 255 and at < len(block):
        more = block[at]
        at, length = at + 1, length + more
    return at, length


def _unzstd(payload: bytes, limit: int) -> bytes:
    """Decompress a frame that states its content size, and ignore bytes after it (SDJ-030)."""
    try:
        size = zstandard.frame_content_size(payload)  # -1 if the frame does not state its size
    except zstandard.ZstdError as error:
        raise BadCompression(f"ZSTD: {error}") from None
    if size == -1:
        raise BadCompression("ZSTD: the frame has no content size")
    if size > limit:
        raise TooLarge(f"ZSTD: {size} bytes exceed the limit of {limit}")
    try:
        plain: bytes = zstandard.ZstdDecompressor().stream_reader(payload).read(size + 1)
    except zstandard.ZstdError as error:
        raise BadCompression(f"ZSTD: {error}", size) from None
    if len(plain) != size:
        raise BadCompression(f"ZSTD: expected {size} bytes, found {len(plain)}", size)
    return plain
