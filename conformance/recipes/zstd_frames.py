"""Zstd frames built by hand, so that the bytes of a vector do not depend on a library version."""

from __future__ import annotations

MAGIC = b"\x28\xb5\x2f\xfd"
RAW, RLE, COMPRESSED = 0, 1, 2
SINGLE_SEGMENT = 0x20
LARGEST_BLOCK = 1 << 17


def frame(payload: bytes, size: int | None = None) -> bytes:
    """Return a zstd frame of raw blocks. ``size`` overrides the content size that the frame
    states."""
    pieces = [payload[at : at + LARGEST_BLOCK] for at in range(0, len(payload), LARGEST_BLOCK)]
    body = b"".join(
        block(RAW, piece, len(piece), is_last=number == len(pieces))
        for number, piece in enumerate(pieces, 1)
    )
    return header(len(payload) if size is None else size) + body


def frame_of_one_byte(byte: int, size: int) -> bytes:
    """Return a small frame that decompresses to ``size`` copies of a byte."""
    counts = [min(LARGEST_BLOCK, size - at) for at in range(0, size, LARGEST_BLOCK)]
    return header(size) + b"".join(
        block(RLE, bytes([byte]), count, is_last=number == len(counts))
        for number, count in enumerate(counts, 1)
    )


def header(size: int) -> bytes:
    """Return the magic number and the header of a single-segment frame with this content size."""
    if size < 256:
        return MAGIC + bytes([SINGLE_SEGMENT, size])
    if size < 65792:
        return MAGIC + bytes([SINGLE_SEGMENT | 0x40]) + (size - 256).to_bytes(2, "little")
    if size < 1 << 27:
        return MAGIC + bytes([SINGLE_SEGMENT | 0x80]) + size.to_bytes(4, "little")
    # A single-segment frame would need a window as large as its content, so this frame states a
    # window of 8 MiB.
    return MAGIC + bytes([0xC0, 13 << 3]) + size.to_bytes(8, "little")


def block(kind: int, data: bytes, size: int, is_last: bool) -> bytes:
    """Return one block of a zstd frame."""
    return (is_last | kind << 1 | size << 3).to_bytes(3, "little") + data


def compressed_block(byte: int, size: int) -> bytes:
    """Return the last block of a frame, which decompresses to ``size`` copies of a byte.

    ``size`` is at most 4095. The block has one repeated literal with a size of 12 bits, and no
    sequences (RFC 8878, 3.1.1.3).
    """
    literals = (RLE | 1 << 2 | size << 4).to_bytes(2, "little") + bytes([byte])
    return block(COMPRESSED, literals + bytes(1), len(literals) + 1, is_last=True)
