"""Read and write the subset of MessagePack that state files use, and convert values to JSON.

The writer produces the same bytes as ``msgpack-lite`` (ZMR-073).
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# No package on PyPI is suitable. ``msgpack`` cannot limit nesting to 64, decodes extension -1, and
# rejects an excessive length before it reads the remaining bytes. ``u-msgpack`` rejects repeated
# keys.

MAX_DEPTH = 64  # ZMR-079
MOST_VALUES = 16_384  # ZMR-106
SAFE_INTEGER = 2**53 - 1
NO_TYPE = b"\xc1"


class Incomplete(Exception):
    """Raised if the bytes end before the value does."""


class BadType(ValueError):
    """Raised for the byte c1, with which no value begins."""


class TooDeep(ValueError):
    """Raised if containers are nested more than :data:`MAX_DEPTH` deep."""


class BadKey(ValueError):
    """Raised if an update has a key, at offset ``at``, that is not a UTF-8 string."""

    def __init__(self, at: int) -> None:
        super().__init__(f"the key at {at} is not a string")
        self.at = at


@dataclass(frozen=True, slots=True)
class BadText:
    """A string with bytes that are not UTF-8."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Extension:
    """A value of an application-defined type."""

    type: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Map:
    """A map with its pairs as stored: in order, with keys of any type, and perhaps repeated."""

    pairs: tuple[tuple[Any, Any], ...]


# For each first byte, the struct format of the number that follows it.
_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: "B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: "b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
# For each first byte, the value's type and the size of its length field in bytes. The shortest form
# of each type comes first.
_SIZED = {
    0xC4: ("bin", 1),
    0xC5: ("bin", 2),
    0xC6: ("bin", 4),
    0xC7: ("ext", 1),
    0xC8: ("ext", 2),
    0xC9: ("ext", 4),
    0xD9: ("str", 1),
    0xDA: ("str", 2),
    0xDB: ("str", 4),
    0xDC: ("array", 2),
    0xDD: ("array", 4),
    0xDE: ("map", 2),
    0xDF: ("map", 4),
}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


# This object replaces a value that contains more values than the limit.
TOO_MANY = object()


class _Open:
    """A container that is being filled. ``left`` values are missing, where a pair counts as two."""

    __slots__ = ("items", "left", "type")

    def __init__(self, type: str, left: int) -> None:
        self.type = type
        self.left = left
        self.items: list[Any] = []

    def value(self) -> Any:
        if self.type == "array":
            return self.items
        return Map(tuple(zip(self.items[::2], self.items[1::2], strict=True)))


def decode(
    data: bytes | memoryview,
    at: int = 0,
    has_text_keys: bool = False,
    most: int | None = None,
    allows_c1: bool = False,
) -> tuple[Any, int]:
    """Decode the value at an offset, and return it with the offset after it.

    If the value contains more than ``most`` values, :data:`TOO_MANY` is returned in its place. If
    ``has_text_keys`` is true, all keys of the outermost map must be text. If ``allows_c1`` is true,
    the byte c1 is a value of one byte. Raises :class:`BadKey`, :class:`Incomplete`,
    :class:`BadType` or :class:`TooDeep` for the first error in byte order.
    """
    stack: list[_Open] = []
    count = 0
    while True:
        start = at
        is_key = has_text_keys and len(stack) == 1 and stack[0].left % 2 == 0
        if is_key and not _begins_text(_take(data, at, 1)[0]):
            raise BadKey(start)
        if allows_c1 and data[at : at + 1] == NO_TYPE:
            value, opened, at = None, None, at + 1
        else:
            value, opened, at = _head(data, at)
        if is_key and isinstance(value, BadText):
            raise BadKey(start)
        if opened is not None and len(stack) == MAX_DEPTH:
            raise TooDeep(f"more than {MAX_DEPTH} levels at {at}")
        count += 1
        is_kept = most is None or count <= most
        if not is_kept:
            for container in stack:
                container.items.clear()
        if opened is not None and opened.left:
            stack.append(opened)
            continue
        if opened is not None:
            value = opened.value()
        while stack:
            stack[-1].left -= 1
            if is_kept:
                stack[-1].items.append(value)
            if stack[-1].left:
                break
            done = stack.pop()
            value = done.value() if is_kept else None
        else:
            return value if is_kept else TOO_MANY, at


def count_of(value: Any) -> int:
    """Count the values in a value, including keys and the value itself (ZMR-106)."""
    if isinstance(value, list):
        return 1 + sum(map(count_of, value))
    if isinstance(value, Map):
        return 1 + sum(count_of(key) + count_of(item) for key, item in value.pairs)
    return 1


def _begins_text(first: int) -> bool:
    return 0xA0 <= first <= 0xBF or 0xD9 <= first <= 0xDB


def _head(data: bytes | memoryview, at: int) -> tuple[Any, _Open | None, int]:
    """Read a scalar value or the head of a container."""
    first = _take(data, at, 1)[0]
    at += 1
    if first <= 0x7F:
        return first, None, at
    if first >= 0xE0:
        return first - 0x100, None, at
    if first <= 0x8F:
        return None, _Open("map", 2 * (first & 0x0F)), at
    if first <= 0x9F:
        return None, _Open("array", first & 0x0F), at
    if first <= 0xBF:
        return _text(_take(data, at, first & 0x1F)), None, at + (first & 0x1F)
    if first in _CONSTANTS:
        return _CONSTANTS[first], None, at
    if first in _NUMBERS:
        layout = _NUMBERS[first]
        size = struct.calcsize(layout)
        raw = _take(data, at, size)
        return struct.unpack(layout, _quiet(raw) if first == 0xCA else raw)[0], None, at + size
    if 0xD4 <= first <= 0xD8:
        return _extension(data, at, 1 << (first - 0xD4))
    if first not in _SIZED:
        raise BadType(f"the byte {first:02x} at {at - 1} begins no value")
    type, width = _SIZED[first]
    size = int.from_bytes(_take(data, at, width), "big")
    at += width
    if type == "ext":
        return _extension(data, at, size)
    if type in ("array", "map"):
        return None, _Open(type, size if type == "array" else 2 * size), at
    raw = _take(data, at, size)
    return (_text(raw) if type == "str" else raw), None, at + size


def _quiet(single: bytes) -> bytes:
    """Make a 32-bit NaN quiet, because widening does not do so on every platform (ZMR-072)."""
    bits = int.from_bytes(single, "big")
    is_nan = bits & 0x7FFFFFFF > 0x7F800000
    return (bits | 0x00400000).to_bytes(4, "big") if is_nan else single


def _extension(data: bytes | memoryview, at: int, size: int) -> tuple[Any, None, int]:
    raw = _take(data, at, 1 + size)
    return Extension(int.from_bytes(raw[:1], "big", signed=True), raw[1:]), None, at + 1 + size


def _take(data: bytes | memoryview, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise Incomplete
    return bytes(data[at : at + size])


def _text(raw: bytes) -> str | BadText:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return BadText(raw)


def encode(value: Any) -> bytes:
    """Encode a value as ``msgpack-lite`` does (ZMR-073).

    Raises ``ValueError`` for a value that JavaScript cannot represent.
    """
    if value is None:
        return b"\xc0"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, (int, float)):
        return _encode_number(value)
    if isinstance(value, str):
        raw = value.encode("utf-8")
        head = bytes([0xA0 + len(raw)]) if len(raw) < 32 else _long_head("str", len(raw))
        return head + raw
    if isinstance(value, bytes):
        # msgpack-lite does not use ``bin 8`` for 255 bytes, but only for fewer.
        return (b"\xc5\x00\xff" if len(value) == 0xFF else _long_head("bin", len(value))) + value
    if isinstance(value, list):
        head = bytes([0x90 + len(value)]) if len(value) < 16 else _long_head("array", len(value))
        return head + b"".join(map(encode, value))
    if isinstance(value, Map):
        value = {key_text(key): item for key, item in value.pairs}
    if isinstance(value, Mapping):
        pairs = b"".join(encode(key) + encode(item) for key, item in value.items())
        head = bytes([0x80 + len(value)]) if len(value) < 16 else _long_head("map", len(value))
        return head + pairs
    raise ValueError(f"a state file cannot hold {value!r}")


def _encode_number(value: int | float) -> bytes:
    if isinstance(value, int) and abs(value) > SAFE_INTEGER:
        raise ValueError(f"{value} is not a JavaScript number: expected at most 2^53 - 1")
    number = int(value) if math.isfinite(value) else 0
    if number != value or not -(2**31) <= number < 2**31:
        return b"\xcb" + struct.pack(">d", value)
    if -0x20 <= number <= 0x7F:
        return bytes([number & 0xFF])
    if number >= 0:
        head = 0xCC if number <= 0xFF else 0xCD if number <= 0xFFFF else 0xCE
    else:
        head = 0xD0 if number >= -0x80 else 0xD1 if number >= -0x8000 else 0xD2
    return bytes([head]) + struct.pack(_NUMBERS[head], number)


def _long_head(type: str, size: int) -> bytes:
    """Encode the first byte and the length in the shortest form that fits."""
    forms = ((first, width) for first, (other_type, width) in _SIZED.items() if other_type == type)
    first, width = next(form for form in forms if size < 1 << 8 * form[1])
    return bytes([first]) + size.to_bytes(width, "big")


def key_text(key: Any) -> str:
    """Return a key as text, in JSON if it is not a string."""
    if isinstance(key, str):
        return key
    return json.dumps(_with_pairs(key), ensure_ascii=False, separators=(",", ":"))


def _with_pairs(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_pairs(item) for item in value]
    if isinstance(value, Map):
        # Keys are not converted to text, because each level of nesting would double the length of
        # the text.
        return {"map": [[_with_pairs(key), _with_pairs(item)] for key, item in value.pairs]}
    return to_json(value)


def to_json(value: Any) -> Any:
    """Convert a value to JSON for answers (ZMR-072).

    A value that JSON cannot express becomes an object with one key, which is ``int``, ``float``,
    ``bin``, ``hex`` or ``ext``.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, float):
        if math.isfinite(value) and value == int(value) and abs(value) <= SAFE_INTEGER:
            return int(value)
        return {"float": struct.pack(">d", value).hex()}
    if isinstance(value, int):
        return value if abs(value) <= SAFE_INTEGER else {"int": str(value)}
    if isinstance(value, BadText):
        return {"hex": value.data.hex()}
    if isinstance(value, Extension):
        return {"ext": [value.type, value.data.hex()]}
    if isinstance(value, bytes):
        return {"bin": value.hex()}
    if isinstance(value, list):
        return [to_json(item) for item in value]
    assert isinstance(value, Map)
    return {key_text(key): to_json(item) for key, item in value.pairs}
