"""Compress and decompress each record as one zstd frame (RDB-035 to RDB-038)."""

from __future__ import annotations

import zstandard

from reference_impl.zstd_frame import (
    LARGEST_WINDOW,
    MAGIC,
    MAX_RATIO,
    MAX_RECORD_SIZE,
    BadCompression,
    TooLarge,
    most_content,
    parameters_of,
)

#: These bits are in the first byte after the magic number. If any of them is set, the frame states
#: its size.
_SIZE_FLAG, _SINGLE_SEGMENT = 0xC0, 0x20


class Decompressor:
    """Decompresses one log's records in order, within limits.

    A record may have at most ``max_record_size`` bytes.
    """

    def __init__(self, max_record_size: int = MAX_RECORD_SIZE) -> None:
        self.limit = max_record_size
        self.spent = 0

    def decompress(self, data: bytes, end: int) -> bytes:
        """Decompress the data of a record that ends at offset ``end``.

        Raises :class:`BadCompression` and :class:`TooLarge`.
        """
        if not data:
            return b""  # RDB-035
        frame = _parameters(data)
        self.admit(frame.content_size, end)
        if most_content(data, frame) < frame.content_size:
            raise BadCompression("blocks that cannot hold the stated content")
        try:
            return zstandard.ZstdDecompressor().decompress(data, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise BadCompression(str(error)) from None

    def admit(self, size: int, end: int) -> None:
        """Count ``size`` decompressed bytes of a record that ends at offset ``end`` (RDB-038).

        Raises :class:`TooLarge`.
        """
        if size > self.limit:
            raise TooLarge("RDB-037")
        if self.spent + size > MAX_RATIO * end + 4 * self.limit:
            raise TooLarge("RDB-038")
        self.spent += size


def compress(payload: bytes) -> bytes:
    """Compress a payload to one frame with content size and checksum (RDB-036)."""
    return zstandard.ZstdCompressor(write_checksum=True).compress(payload) if payload else b""


def _parameters(data: bytes) -> zstandard.FrameParameters:
    """Parse the frame header. Raises :class:`BadCompression`."""
    frame = parameters_of(data)
    # The library uses a valid size to report an unknown size, so check the flags instead.
    states_size = data[len(MAGIC)] & (_SIZE_FLAG | _SINGLE_SEGMENT)
    if not states_size or frame.content_size == 0:
        raise BadCompression("a frame that does not state its content size")
    if frame.window_size > LARGEST_WINDOW or frame.dict_id:
        raise BadCompression("a frame that needs a dictionary or a larger window")
    return frame
