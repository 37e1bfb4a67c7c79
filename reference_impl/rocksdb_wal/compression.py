"""Compressed records: one zstd frame each (RDB-035 to RDB-038)."""

from __future__ import annotations

import zstandard

MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST_WINDOW = 1 << 27
"""In bytes. RocksDB decompresses with zstd's default limit."""

MAX_RECORD_SIZE = 1 << 26
"""Default limit of a decompressed record, in bytes (RDB-037)."""

#: Limit for all decompressed records of a log, as a multiple of the size of the log (RDB-038).
MAX_RATIO = 1024


class BadCompression(ValueError):
    """The data of a record is not one whole zstd frame."""


class TooLarge(ValueError):
    """The record would be larger than the reader's limit."""


class Decompressor:
    """Decompresses the records of one log, in order, within limits.

    ``max_record_size`` is the limit of a record in bytes.
    """

    def __init__(self, max_record_size: int = MAX_RECORD_SIZE) -> None:
        self.limit = max_record_size
        self.spent = 0

    def decompress(self, data: bytes, end: int) -> bytes:
        """Return the record whose data this is; ``end`` is the offset at which it ends.

        Raises :class:`BadCompression`, :class:`TooLarge`.
        """
        if not data:
            return b""  # RDB-035
        size = _content_size(data)
        if size > self.limit or self.spent + size > MAX_RATIO * end + 4 * self.limit:
            raise TooLarge(f"{size} bytes")
        self.spent += size
        try:
            return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise BadCompression(str(error)) from None


def compress(payload: bytes) -> bytes:
    """Return the data of a record: one frame with its content size and checksum (RDB-036)."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(payload) if payload else b""


def _content_size(data: bytes) -> int:
    """Return the size that the frame states. Raises :class:`BadCompression`."""
    if not data.startswith(MAGIC):
        raise BadCompression("no zstd frame")
    try:
        frame = zstandard.get_frame_parameters(data)
    except zstandard.ZstdError as error:
        raise BadCompression(str(error)) from None
    if frame.content_size in (0, zstandard.CONTENTSIZE_UNKNOWN, zstandard.CONTENTSIZE_ERROR):
        raise BadCompression("a frame that does not state its content size")
    if frame.window_size > LARGEST_WINDOW or frame.dict_id:
        raise BadCompression("a frame that needs a dictionary or a larger window")
    return int(frame.content_size)
