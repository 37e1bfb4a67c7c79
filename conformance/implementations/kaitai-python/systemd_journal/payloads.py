"""Decompress and check the payloads of DATA objects, and convert them to the export format."""

from __future__ import annotations

import hashlib
import io
import itertools
import lzma
import re
from typing import Any

import lz4.block
import zstandard

XZ, LZ4, ZSTD = 1, 2, 4
# For each compression flag of an object, the header needs this incompatible flag (SDJ-005,
# SDJ-026).
ANNOUNCED = {XZ: 1, LZ4: 2, ZSTD: 8}

_LAST_OF_PLANES = "".join(chr(plane << 16 | low) for plane in range(17) for low in (65534, 65535))
# Control characters and noncharacters (SDJ-090).
_UNPRINTABLE = re.compile(
    "[\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f\\ufdd0-\\ufdef" + _LAST_OF_PLANES + "]"
)
_ZSTD_FRAME = bytes.fromhex("28b52ffd")
# Each step decompresses this number of bytes of an XZ stream (SDJ-103).
_PIECE = 4096
_NAME = re.compile(rb"[A-Z_][A-Z0-9_]{0,63}")


class BadPayload(Exception):
    """A bad payload, with its code and the number of bytes that were decompressed (SDJ-103)."""

    def __init__(self, code: str, unpacked: int = 0) -> None:
        super().__init__(code)
        self.code, self.unpacked = code, unpacked


def unpacked(flags: int, stored: bytes, limit: int) -> bytes:
    """Return the decompressed payload. Raises :class:`BadPayload` (SDJ-026 to SDJ-031)."""
    way = flags & (XZ | LZ4 | ZSTD)
    if way == 0:
        return stored
    if way not in ANNOUNCED:
        raise BadPayload("bad-compression")
    return {XZ: _xz, LZ4: _lz4, ZSTD: _zstd}[way](stored, limit)


def _xz(stored: bytes, limit: int) -> bytes:
    stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=256 << 20)
    whole = io.BytesIO()
    for pieces in itertools.count(1):
        room = limit + 1 - whole.tell()
        try:
            whole.write(stream.decompress(stored if pieces == 1 else b"", min(room, _PIECE)))
        except lzma.LZMAError as error:
            raise BadPayload("bad-compression", min(pieces * _PIECE, limit)) from error
        if whole.tell() > limit:
            raise BadPayload("too-large", limit)
        if stream.eof:
            break
        if stream.needs_input:
            raise BadPayload("bad-compression", min(pieces * _PIECE, limit))
    return whole.getvalue()


def _lz4(stored: bytes, limit: int) -> bytes:
    size = int.from_bytes(stored[:8], "little")
    if len(stored) <= 8 or size > 255 * len(stored):
        raise BadPayload("bad-compression")
    if size > limit:
        raise BadPayload("too-large")
    if not is_block(stored[8:], size):
        raise BadPayload("bad-compression", size)
    try:
        payload: bytes = lz4.block.decompress(stored[8:], uncompressed_size=size)
    except (lz4.block.LZ4BlockError, ValueError) as error:
        raise BadPayload("bad-compression", size) from error
    if len(payload) != size:
        raise BadPayload("bad-compression", size)
    return payload


def is_block(block: bytes, size: int) -> bool:
    """Return whether the sequences of a block follow SDJ-029, without copying their bytes."""
    rest = io.BytesIO(block)
    filled, bound = 0, size  # every match must begin before ``bound``
    while token := rest.read(1):
        count = token[0] >> 4
        count += _more(rest) if count == 15 else 0
        filled += len(rest.read(count))
        if rest.tell() == len(block):
            return filled == size and (bound == size or count >= 5)
        offset = int.from_bytes(rest.read(2), "little")
        bound = size - 11
        if not 0 < offset <= filled < bound:
            return False
        filled += (token[0] & 15) + 4 + (_more(rest) if token[0] & 15 == 15 else 0)
    return False


def _more(rest: io.BytesIO) -> int:
    """Return the sum of the bytes that extend a length."""
    length = 0
    while byte := rest.read(1):
        length += byte[0]
        if byte[0] != 255:
            break
    return length


def _zstd(stored: bytes, limit: int) -> bytes:
    try:
        frame = zstandard.get_frame_parameters(stored)
    except (zstandard.ZstdError, ValueError) as error:
        raise BadPayload("bad-compression") from error
    if not stored.startswith(_ZSTD_FRAME) or frame.content_size == zstandard.CONTENTSIZE_UNKNOWN:
        raise BadPayload("bad-compression")
    if frame.content_size > limit:
        raise BadPayload("too-large")
    try:
        with zstandard.ZstdDecompressor().stream_reader(stored) as content:
            payload = content.read(frame.content_size + 1)
    except zstandard.ZstdError as error:
        raise BadPayload("bad-compression", frame.content_size) from error
    if len(payload) != frame.content_size:
        raise BadPayload("bad-compression", frame.content_size)
    return payload


def is_field(payload: bytes) -> bool:
    """Return whether a payload is ``NAME=value`` with a valid name (SDJ-045, SDJ-086)."""
    name, equals, _ = payload.partition(b"=")
    return bool(equals) and is_name(name)


def is_name(name: bytes) -> bool:
    """Return whether a name is valid (SDJ-086)."""
    return _NAME.fullmatch(name) is not None


def exported(payloads: list[bytes]) -> bytes:
    """Return the fields of an entry in export format, in the order of SDJ-042."""
    return b"".join(map(_line, sorted(set(payloads))))


def _line(payload: bytes) -> bytes:
    try:
        if not _UNPRINTABLE.search(payload.decode()):
            return payload + b"\n"
    except UnicodeDecodeError:
        pass
    name, _, value = payload.partition(b"=")
    return name + b"\n" + len(value).to_bytes(8, "little") + value + b"\n"


def shown(payload: bytes) -> list[Any]:
    """Return the pair ``[name, value]`` of an answer."""
    name, _, value = payload.partition(b"=")
    if len(value) > 4096:
        return [name.decode(), {"sha256": hashlib.sha256(value).hexdigest()}]
    try:
        return [name.decode(), value.decode()]
    except UnicodeDecodeError:
        return [name.decode(), {"hex": value.hex()}]
