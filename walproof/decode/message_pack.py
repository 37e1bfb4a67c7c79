"""A MessagePack value of an application as JSON, with the package ``msgpack``.

For payloads that are large and many. Where a format is MessagePack itself, its specification has a
decoder of its own, with the limits that it names. ``Unpacker.skip`` goes over a value without
making anything of it. Only one that is all there is unpacked, so no length makes more memory than
there are bytes.
"""

from __future__ import annotations

import base64
import math
import struct
from json.encoder import encode_basestring
from typing import Any

import msgpack

from walproof.decode.fault import Undecodable, most_values

MAX_DEPTH = 256
"""Levels of a value. ``msgpack`` itself stops at 1,024."""


class _Pairs(list[tuple[Any, Any]]):
    """A map as it is stored, repeated keys included."""


def to_json(data: bytes, nested: frozenset[str] = frozenset()) -> str:
    """The one value in ``data`` as JSON text, with its keys in order.

    Binary values are base64, as Jackson writes them; those at a key in ``nested`` that are a whole
    MessagePack value themselves are that value, one level deep. What JSON lacks is an object with
    one key: ``{"float": the eight bytes}`` for NaN and the infinities, ``{"hex": …}`` for a string
    that is not UTF-8, ``{"ext": [type, hex]}``. Raises :class:`~walproof.decode.fault.Undecodable`.
    """
    return _text(unpacked(data), nested, 0)


def unpacked(data: bytes) -> Any:
    """The one value in ``data``; a map is a list of pairs. Raises ``Undecodable``."""
    end = whole(data)
    if end != len(data):
        raise Undecodable(f"{len(data) - end} bytes after the MessagePack value")
    most = most_values(len(data))
    if len(data) > most and _has_more(data, most):
        raise Undecodable(f"MessagePack of more than {most:,} values")
    try:
        return msgpack.unpackb(
            data,
            strict_map_key=False,
            unicode_errors="surrogateescape",
            object_pairs_hook=_Pairs,
            **_limits(data),
        )
    except (ValueError, TypeError, RecursionError) as fault:
        raise Undecodable(f"no MessagePack: {fault or type(fault).__name__}") from None


def whole(data: bytes) -> int:
    """Where the first value ends. Raises ``Undecodable`` for one that is cut, or for none."""
    unpacker = msgpack.Unpacker(max_buffer_size=max(len(data), 1), **_limits(data))
    unpacker.feed(data)
    try:
        unpacker.skip()
    except msgpack.OutOfData:
        raise Undecodable("the MessagePack value is cut") from None
    except msgpack.StackError:
        raise Undecodable(f"MessagePack of more than {MAX_DEPTH} levels") from None
    except (ValueError, TypeError) as fault:
        raise Undecodable(f"no MessagePack: {fault or type(fault).__name__}") from None
    return int(unpacker.tell())


def _has_more(data: bytes, most: int) -> bool:
    """Whether there are more than so many values in data that is one value, and whole."""
    at = count = 0
    while at < len(data) and count <= most:
        fixed, counted = _HEADS[data[at]]
        at += fixed + int.from_bytes(data[at + 1 : at + 1 + counted])
        count += 1
    return count > most


def _heads() -> list[tuple[int, int]]:
    """For each first byte, how many bytes follow that are no value of their own: with it so many,
    and as many as the number in these bytes after it says."""
    heads = [(1, 0)] * 256
    for size in range(32):
        heads[0xA0 + size] = (1 + size, 0)
    for first in (0xC4, 0xC7, 0xD9):  # bytes, extensions, text
        for width in range(3):
            counted = 1 << width
            heads[first + width] = (1 + counted + (first == 0xC7), counted)
    for first, sizes in {0xCA: (4, 8), 0xCC: (1, 2, 4, 8), 0xD0: (1, 2, 4, 8)}.items():
        for number, size in enumerate(sizes):
            heads[first + number] = (1 + size, 0)
    for width in range(5):
        heads[0xD4 + width] = (2 + (1 << width), 0)
    for first in (0xDC, 0xDE):  # arrays, maps
        heads[first], heads[first + 1] = (3, 0), (5, 0)
    return heads


_HEADS = _heads()


def _limits(data: bytes) -> dict[str, int]:
    # Of each, at most one a byte: more is not there.
    most = max(len(data), 1)
    kinds = ("str", "bin", "array", "map", "ext")
    return {f"max_{kind}_len": most for kind in kinds}


def _text(value: Any, nested: frozenset[str], depth: int) -> str:
    if depth > MAX_DEPTH:
        raise Undecodable(f"MessagePack of more than {MAX_DEPTH} levels")
    if isinstance(value, _Pairs):
        return f"{{{','.join(_pair(key, one, nested, depth) for key, one in value)}}}"
    if isinstance(value, list):
        return f"[{','.join(_text(one, nested, depth + 1) for one in value)}]"
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
        # As JSON in a text in JSON it could double with every level.
        raise Undecodable("a key of MessagePack that is no text")
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
    """Whether there are bytes in the text that were not UTF-8."""
    return any("\ud800" <= one <= "\udfff" for one in value)
