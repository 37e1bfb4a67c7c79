"""Decode the content and the properties of a stored message.

Upstream authority: apache/activemq c3580e7 (6.x) ``command/ActiveMQTextMessage.java``,
``ActiveMQBytesMessage.java``, ``ActiveMQMapMessage.java``, ``ActiveMQStreamMessage.java``.
"""

from __future__ import annotations

import json
import math
import zlib
from typing import Any

from walproof.decode.fault import Undecodable, most_values
from walproof.formats.kahadb_journal.decoder.java_data import JavaData

INFLATED_LEAST = 1 << 16
#: Limit of inflated content as a multiple of its compressed size, to which 64 KiB are added.
INFLATED_TIMES = 100
#: Upper limit of inflated content in bytes, to which twice the compressed size is added. Maps and
#: streams get half of the limit, because their JSON is longer.
INFLATED_MOST = 1 << 22


def content(kind: str, data: bytes | None, is_compressed: bool) -> dict[str, Any]:
    """Return the content of a message as ``text``, ``bytes`` or ``values`` (JSON).

    Serialised objects are never deserialised. Raises ``Undecodable``.
    """
    if data is None or kind in ("message", "blob"):
        return {}
    if kind == "object":
        raise Undecodable(f"a serialised Java object of {len(data)} bytes, not decoded")
    if kind == "bytes":
        return {"bytes": _unpacked_bytes(data) if is_compressed else data}
    most = most_values(len(data))
    if is_compressed:
        data = _inflated(data, _most(data) if kind == "text" else _most(data) // 2)
    source = JavaData(data, most)
    if kind == "text":
        decoded: dict[str, Any] = {"text": source.long_utf()}
    elif kind == "map":
        decoded = {"values": _as_json(source.mapping())}
    else:
        values = []
        while source.left:
            values.append(source.value())
        decoded = {"values": _as_json(values)}
    if source.left:
        raise Undecodable(f"{source.left} bytes after the content")
    return decoded


def properties(data: bytes | None) -> list[tuple[str, str | None]]:
    """Return the properties of a message with each value as text; empty if there are none."""
    if data is None:
        return []
    source = JavaData(data)
    pairs = source.mapping()
    if source.left:
        raise Undecodable(f"{source.left} bytes after the properties")
    return [(name, _as_text(value)) for name, value in pairs.items()]


def _unpacked_bytes(data: bytes) -> bytes:
    """Inflate a compressed bytes message, which begins with its uncompressed length."""
    source = JavaData(data)
    length, packed = source.number("i"), source.take(source.left)
    if length > _most(packed):
        raise Undecodable(f"compressed content: {length} bytes from {len(packed)}")
    inflated, _ = _inflate(packed, max(1, length))
    if len(inflated[: max(0, length)]) != length:
        raise Undecodable(f"expected {length} bytes, inflated to {len(inflated)}")
    return inflated[:length]


def _inflated(data: bytes, most: int) -> bytes:
    content, is_whole = _inflate(data, most)
    if not is_whole:
        words = (
            f"more than {most} bytes when inflated" if len(content) == most else "it is truncated"
        )
        raise Undecodable(f"compressed content: {words}")
    return content


def _inflate(data: bytes, most: int) -> tuple[bytes, bool]:
    """Return at most ``most`` bytes of the content, and whether the compressed data ends there."""
    stream = zlib.decompressobj()
    try:
        return stream.decompress(data, most), stream.eof
    except zlib.error as error:
        raise Undecodable(f"compressed content: {error}") from None


def _most(packed: bytes) -> int:
    times = INFLATED_LEAST + INFLATED_TIMES * len(packed)
    return min(times, INFLATED_MOST + 2 * len(packed))


def _as_json(value: Any) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _as_text(value: Any) -> str | None:
    plain = _plain(value)
    return plain if plain is None or isinstance(plain, str) else _as_json(plain)


def _plain(value: Any) -> Any:
    """Return a value for JSON: bytes as hexadecimal, NaN and infinities as text."""
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value
