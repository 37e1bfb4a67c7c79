"""Convert payloads in MessagePack to JSON, with the package ``msgpack``.

Memory use depends on the number of available bytes, not on the lengths in the data, because only
complete values are unpacked.
"""

from __future__ import annotations

import base64
import math
import struct
from json.encoder import encode_basestring
from typing import Any

import msgpack

from walproof.decode.fault import Undecodable, most_values

#: Maximum nesting levels of a value. ``msgpack`` itself stops at 1,024 levels.
MAX_DEPTH = 256


class _Pairs(list[tuple[Any, Any]]):
    """A map as it is stored, including repeated keys."""


class _Counter:
    """A counter of the values inside arrays and maps that also converts maps to pairs."""

    def __init__(self, limit: int) -> None:
        self.limit, self.left = limit, limit - 1  # the outermost value is counted here

    def array(self, values: list[Any]) -> list[Any]:
        self._count(len(values))
        return values

    def map(self, pairs: list[tuple[Any, Any]]) -> _Pairs:
        self._count(2 * len(pairs))
        return _Pairs(pairs)

    def _count(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise Undecodable(f"MessagePack value with more than {self.limit:,} values")


def to_json(data: bytes, nested: frozenset[str] = frozenset()) -> str:
    """Return the only value in ``data`` as JSON text, with its keys in order.

    Binary values are converted to base64, as in Jackson. If a binary value under a key in
    ``nested`` is itself a complete MessagePack value, it is converted too, one level deep. Values
    that JSON does not support become objects with one key: ``{"float": the eight bytes}`` for NaN
    and infinities, ``{"hex": …}`` for a string that is not UTF-8, and ``{"ext": [type, hex]}``.
    Raises :class:`~walproof.decode.fault.Undecodable`.
    """
    return _text(unpacked(data), nested, 0)


def unpacked(data: bytes) -> Any:
    """Return the only value in ``data``; a map is a list of pairs. Raises ``Undecodable``."""
    end = first_end(data)
    if end != len(data):
        raise Undecodable(f"{len(data) - end} bytes after the MessagePack value")
    counter = _Counter(most_values(len(data)))
    try:
        return msgpack.unpackb(
            data,
            strict_map_key=False,
            unicode_errors="surrogateescape",
            object_pairs_hook=counter.map,
            list_hook=counter.array,
            **_limits(data),
        )
    except Undecodable:
        raise
    except (ValueError, TypeError, RecursionError) as fault:
        raise Undecodable(f"not MessagePack: {fault or type(fault).__name__}") from None


def first_end(data: bytes) -> int:
    """Return the end of the first value. Raises ``Undecodable`` if it is invalid or truncated."""
    unpacker = msgpack.Unpacker(max_buffer_size=max(len(data), 1), **_limits(data))
    unpacker.feed(data)
    try:
        unpacker.skip()
    except msgpack.OutOfData:
        raise Undecodable("truncated MessagePack value") from None
    except msgpack.StackError:
        raise Undecodable(f"MessagePack value with more than {MAX_DEPTH} levels") from None
    except (ValueError, TypeError) as fault:
        raise Undecodable(f"not MessagePack: {fault or type(fault).__name__}") from None
    return int(unpacker.tell())


def _limits(data: bytes) -> dict[str, int]:
    # Each item takes at least one byte.
    size = max(len(data), 1)
    types = ("str", "bin", "array", "map", "ext")
    return {f"max_{type_name}_len": size for type_name in types}


def _text(value: Any, nested: frozenset[str], depth: int) -> str:
    if depth > MAX_DEPTH:
        raise Undecodable(f"MessagePack value with more than {MAX_DEPTH} levels")
    if isinstance(value, _Pairs):
        return f"{{{','.join(_pair(key, item, nested, depth) for key, item in value)}}}"
    if isinstance(value, list):
        return f"[{','.join(_text(item, nested, depth + 1) for item in value)}]"
    return _scalar(value)


def _pair(key: Any, value: Any, nested: frozenset[str], depth: int) -> str:
    if isinstance(value, bytes) and isinstance(key, str) and key in nested:
        shown = _nested(value, depth)
    else:
        shown = _text(value, nested, depth + 1)
    return f"{_key(key)}:{shown}"


def _nested(data: bytes, depth: int) -> str:
    try:
        return _text(unpacked(data), frozenset(), depth + 1)
    except Undecodable:
        return _scalar(data)


def _key(key: Any) -> str:
    if isinstance(key, (list, bytes)):
        # JSON inside a JSON string could double in size with every level.
        raise Undecodable("MessagePack map with an array or binary key")
    if isinstance(key, str):
        return encode_basestring(key.encode("utf-8", "surrogateescape").decode(errors="replace"))
    return encode_basestring(_scalar(key))


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return f'{{"float":"{struct.pack(">d", value).hex()}"}}'
    if isinstance(value, str):
        if value.isprintable() or not _has_bytes(value):
            return encode_basestring(value)
        return f'{{"hex":"{value.encode("utf-8", "surrogateescape").hex()}"}}'
    if isinstance(value, bytes):
        return f'"{base64.b64encode(value).decode("ascii")}"'
    code, data = (-1, value.to_bytes()) if isinstance(value, msgpack.Timestamp) else value
    return f'{{"ext":[{code},"{data.hex()}"]}}'


def _has_bytes(value: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in value)
