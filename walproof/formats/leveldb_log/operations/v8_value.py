"""Decode JavaScript values serialised by V8 and Blink to JSON.

Upstream authority: v8 ``src/objects/value-serializer.cc`` (versions up to 15) and chromium
``blink/renderer/bindings/core/v8/serialization/v8_script_value_deserializer.cc`` (the envelope).
"""

from __future__ import annotations

import math
import struct
from typing import Any

from walproof.decode.fault import Cursor, Undecodable

_VERSION, _TRAILER, _TRAILER_BYTES, _PADDING = 0xFF, 0xFE, 12, 0
_DOUBLE = struct.Struct("<d")
_CONSTANTS: dict[str, Any] = {"0": None, "_": {"undefined": True}, "T": True, "F": False,
                              "y": True, "x": False, "-": {"hole": True}}  # fmt: skip
_ERROR_TYPES = {"E": "EvalError", "R": "RangeError", "F": "ReferenceError", "S": "SyntaxError",
                "T": "TypeError", "U": "URIError"}  # fmt: skip
_ERROR_MEMBERS = {"m": "message", "c": "cause", "s": "stack"}
_MAX_DEPTH = 200
#: First version in which views have flags.
_FLAGS_SINCE = 14


def decode(data: bytes) -> Any:
    """Return the value in ``data``. Raises ``Undecodable``.

    A value that JSON cannot represent is an object with one key, such as ``date`` or ``hex``.
    ``date`` is in milliseconds since 1970. ``same_as`` is the number of an earlier object.
    """
    reader = _Reader(data)
    value = reader.value(0)
    if reader.cursor.left and any(reader.cursor.take(reader.cursor.left)):
        raise Undecodable(f"at {reader.cursor.at}: bytes after the JavaScript value")
    return value


def number(value: float) -> Any:
    """Return a number for JSON; whole numbers have no fraction."""
    if not math.isfinite(value):
        return {"float": str(value)}
    return int(value) if value.is_integer() and abs(value) <= 2**53 else value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.cursor = Cursor(data)
        self.version = 0
        while self._next() == _VERSION:
            self.cursor.take(1)
            self.version = self.cursor.varint(5)
            if self._next() == _TRAILER:
                self.cursor.take(1 + _TRAILER_BYTES)
        if not self.version:
            raise Undecodable("expected the version of a JavaScript value at 0")

    def _next(self) -> int:
        return self.cursor.data[self.cursor.at] if self.cursor.left else -1

    def _tag(self) -> str:
        while self._next() == _PADDING:
            self.cursor.take(1)
        return chr(self.cursor.take(1)[0])

    def value(self, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise Undecodable(f"JavaScript value of more than {_MAX_DEPTH} levels")
        at, tag, cursor = self.cursor.at, self._tag(), self.cursor
        cursor.count_values()
        if tag in _CONSTANTS:
            return _CONSTANTS[tag]
        if tag == "I":
            raw = cursor.varint(5)
            return (raw >> 1) ^ -(raw & 1)
        if tag == "U":
            return cursor.varint(5)
        if tag in "Nn":
            return number(_DOUBLE.unpack(cursor.take(8))[0])
        if tag == "D":
            return {"date": number(_DOUBLE.unpack(cursor.take(8))[0])}
        if tag in "Zz":
            head = cursor.varint(5)
            size = int.from_bytes(cursor.take(head >> 1), "little")
            return {"bigint": f"{'-' if head & 1 else ''}0x{size:x}"}
        if tag in '"cS':
            return self._text(tag)
        if tag == "s":
            return self._text(self._tag())
        if tag == "o":
            return self._properties("{", 1, depth)
        if tag == "A":
            return self._dense(cursor.varint(5), depth)
        if tag == "a":
            cursor.varint(5)
            return self._properties("@", 2, depth)
        if tag == ";":
            flat = self._until(":", depth)
            return {"map": [list(pair) for pair in zip(flat[::2], flat[1::2], strict=False)]}
        if tag == "'":
            return {"set": self._until(",", depth)}
        if tag == "R":
            return {"regexp": self._text(self._tag()), "flags": cursor.varint(5)}
        if tag == "B":
            return self._viewed({"hex": cursor.sized(5).hex()})
        if tag == "r":
            return self._error(depth)
        if tag == "^":
            return {"same_as": cursor.varint(5)}
        raise Undecodable(f"at {at}: JavaScript value of type {tag!a}")

    def _error(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {"type": "Error"}
        while (tag := chr(self.cursor.take(1)[0])) != ".":
            if tag in _ERROR_TYPES:
                members["type"] = _ERROR_TYPES[tag]
            elif tag in _ERROR_MEMBERS:
                members[_ERROR_MEMBERS[tag]] = self.value(depth + 1)
            else:
                raise Undecodable(f"at {self.cursor.at - 1}: an error with a member {tag!a}")
        return {"error": members}

    def _text(self, tag: str) -> Any:
        data = self.cursor.sized(5)
        encoding = {'"': "latin-1", "c": "utf-16-le", "S": "utf-8"}.get(tag)
        if encoding is None:
            raise Undecodable(f"at {self.cursor.at}: expected a text, found {tag!a}")
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            return {"hex": data.hex()}

    def _until(self, end: str, depth: int) -> list[Any]:
        """Return the values before a tag; skip the tag and the number after it."""
        values = []
        while chr(self._next() & 0xFF) != end:
            values.append(self.value(depth + 1))
        self.cursor.take(1)
        self.cursor.varint(5)
        return values

    def _properties(self, end: str, counts: int, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while chr(self._next() & 0xFF) != end:
            name, value = self.value(depth + 1), self.value(depth + 1)
            members[name if isinstance(name, str) else str(name)] = value
        self.cursor.take(1)
        for _ in range(counts):
            self.cursor.varint(5)
        return members

    def _dense(self, length: int, depth: int) -> Any:
        if length > self.cursor.left:
            raise Undecodable(f"at {self.cursor.at}: {length} values in {self.cursor.left} bytes")
        values = [self.value(depth + 1) for _ in range(length)]
        more = self._properties("$", 2, depth)
        return {"array": values, **more} if more else values

    def _viewed(self, buffer: dict[str, str]) -> Any:
        """Return a byte buffer, or only the bytes of a view if a view follows."""
        if chr(self._next() & 0xFF) != "V":
            return buffer
        self.cursor.take(2)
        start, size = self.cursor.varint(5), self.cursor.varint(5)
        if self.version >= _FLAGS_SINCE:
            self.cursor.varint(5)
        return {"hex": buffer["hex"][2 * start : 2 * (start + size)]}
