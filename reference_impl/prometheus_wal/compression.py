"""Compress and decompress records as Snappy blocks and zstd frames (PRW-031 to PRW-034).

Upstream: prometheus/prometheus ``util/compression``.
"""

from __future__ import annotations

import cramjam
import zstandard

from reference_impl.prometheus_wal.layout import NONE, SNAPPY, ZSTD
from reference_impl.zstd_frame import (
    LARGEST_WINDOW,
    MAX_RATIO,
    MAX_RECORD_SIZE,
    BadCompression,
    TooLarge,
    most_content,
    parameters_of,
)

#: A Snappy block grows at most by this factor, because three bytes copy at most 64.
_SNAPPY_RATIO = 64 / 3
_SNAPPY_SIZE_BYTES = 10


class Decoder:
    """Decompresses one log's records in order, within limits."""

    def __init__(self) -> None:
        #: The number of bytes that were spent from the budget (PRW-034).
        self.spent = 0

    def decode(self, data: bytes, flags: int, end: int) -> bytes:
        """Return the payload of a record that ends ``end`` bytes after the start of the log.

        Raises :class:`BadCompression` and :class:`TooLarge`.
        """
        if flags == NONE or not data:
            return data
        return _unsnappy(data) if flags == SNAPPY else self._unzstd(data, end)

    def _unzstd(self, data: bytes, end: int) -> bytes:
        frame = parameters_of(data)
        if frame.window_size > LARGEST_WINDOW or frame.dict_id:
            raise BadCompression("a dictionary or a large window")
        most = most_content(data, frame)
        is_stated = frame.content_size != zstandard.CONTENTSIZE_UNKNOWN
        if is_stated:
            if frame.content_size > most:
                raise BadCompression("blocks that cannot hold the stated content")
            most = frame.content_size
        allowed = min(MAX_RECORD_SIZE, MAX_RATIO * end + 4 * MAX_RECORD_SIZE - self.spent)
        try:
            if is_stated and most > allowed:
                raise zstandard.ZstdError("the stated content exceeds the limit")
            payload = zstandard.ZstdDecompressor().decompress(
                data, max_output_size=max(0, min(most, allowed)), allow_extra_data=False
            )
        except zstandard.ZstdError as error:
            self.spent += min(most, MAX_RECORD_SIZE)
            if most <= allowed:
                raise BadCompression(str(error)) from None
            raise TooLarge("PRW-033" if allowed == MAX_RECORD_SIZE else "PRW-034") from None
        self.spent += len(payload)
        if not payload:
            raise BadCompression("no content")
        return bytes(payload)


def _unsnappy(data: bytes) -> bytes:
    if not 0 < (size := _snappy_size(data)) <= _SNAPPY_RATIO * len(data):
        raise BadCompression("a block that cannot hold the stated content")
    if size > MAX_RECORD_SIZE:
        raise TooLarge("PRW-033")
    try:
        return bytes(cramjam.snappy.decompress_raw(data))
    except cramjam.DecompressionError as error:
        raise BadCompression(str(error)) from None


def _snappy_size(data: bytes) -> int:
    """Return the decompressed size that a block states as an unsigned LEB128 (PRW-031)."""
    size = 0
    for number, byte in enumerate(data[:_SNAPPY_SIZE_BYTES]):
        size |= (byte & 0x7F) << 7 * number
        if byte < 0x80:
            return size
    raise BadCompression("a block without a size")


def encode(payload: bytes, flags: int) -> bytes:
    """Compress a payload (PRW-072)."""
    if flags == SNAPPY:
        return bytes(cramjam.snappy.compress_raw(payload))
    compressor = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False)
    return compressor.compress(payload)


def readings(flags: set[int]) -> list[int]:
    """Return how to read a record whose frames have these flags; the first valid one counts."""
    found = [flag for flag in (ZSTD, SNAPPY) if any(flag & each for each in flags)]
    return found + [NONE] * (NONE in flags)
