"""Frames of zstd: limits, and the content that a frame can hold (RFC 8878)."""

from __future__ import annotations

import zstandard

MAGIC = b"\x28\xb5\x2f\xfd"
#: The largest window of a frame, in bytes. The default limit of zstd.
LARGEST_WINDOW = 1 << 27
#: The largest block of a frame, in bytes (RFC 8878, Block_Maximum_Size).
LARGEST_BLOCK = 1 << 17
_RLE_BLOCK, _COMPRESSED_BLOCK = 1, 2
#: Default limit of a decompressed record, in bytes (RDB-037, PRW-034).
MAX_RECORD_SIZE = 1 << 26

#: Limit for all decompressed records of a log, as a multiple of the log's size (RDB-038, PRW-034).
MAX_RATIO = 1024


class BadCompression(ValueError):
    """Raised if the data of a record cannot be decompressed."""


class TooLarge(ValueError):
    """Raised if the record would exceed a limit; its text is the id of the requirement."""


def parameters_of(data: bytes) -> zstandard.FrameParameters:
    """Return the header of a frame. Raises :class:`BadCompression`."""
    if not data.startswith(MAGIC):
        raise BadCompression("no zstd frame")
    try:
        return zstandard.get_frame_parameters(data)
    except zstandard.ZstdError as error:
        raise BadCompression(str(error)) from None


def most_content(data: bytes, frame: zstandard.FrameParameters) -> int:
    """Return the largest content that the blocks of a frame can hold.

    Raises :class:`BadCompression` if the frame is truncated or a block exceeds the limit of RFC
    8878.
    """
    largest = min(LARGEST_BLOCK, frame.window_size)
    at, total, is_last = zstandard.frame_header_size(data), 0, False
    while not is_last:
        head = int.from_bytes(data[at : at + 3], "little")
        is_last, kind, size = bool(head & 1), head >> 1 & 3, head >> 3
        at += 3 + (1 if kind == _RLE_BLOCK else size)
        if at > len(data) or size > largest:
            raise BadCompression("a cut frame, or a block that is too large")
        total += largest if kind == _COMPRESSED_BLOCK else size
    return total
