"""Limits for zstd frames, and the largest content that a frame can hold (RFC 8878)."""

from __future__ import annotations

import zstandard

MAGIC = b"\x28\xb5\x2f\xfd"
#: The largest allowed window of a frame, in bytes. This is also zstd's default limit.
LARGEST_WINDOW = 1 << 27
#: The largest allowed block in a frame, in bytes (RFC 8878, Block_Maximum_Size).
LARGEST_BLOCK = 1 << 17
_RLE_BLOCK, _COMPRESSED_BLOCK = 1, 2
#: Default limit in bytes for the size of a decompressed record (RDB-037, PRW-034).
MAX_RECORD_SIZE = 1 << 26

#: Maximum ratio of the total size of a log's decompressed records to the size of the log (RDB-038,
#: PRW-034).
MAX_RATIO = 1024


class BadCompression(ValueError):
    """Raised if a record's data cannot be decompressed."""


class TooLarge(ValueError):
    """Raised if a record would exceed a limit. The message is the id of the requirement."""


def parameters_of(data: bytes) -> zstandard.FrameParameters:
    """Parse the header of a frame. Raises :class:`BadCompression`."""
    if not data.startswith(MAGIC):
        raise BadCompression("no zstd frame")
    try:
        return zstandard.get_frame_parameters(data)
    except zstandard.ZstdError as error:
        raise BadCompression(str(error)) from None


def most_content(data: bytes, frame: zstandard.FrameParameters) -> int:
    """Return the largest number of bytes that a frame's blocks can decompress to.

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
