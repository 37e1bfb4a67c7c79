"""Read values written by Java's ``DataOutputStream`` and ActiveMQ's ``MarshallingSupport``.

Upstream authority: apache/activemq c3580e7 (6.x) ``util/MarshallingSupport.java``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

from walproof.decode.fault import Cursor, Undecodable

#: Maximum nesting of maps and lists. ActiveMQ allows 127 levels; the reader here is recursive.
DEEPEST = 64


class JavaData(Cursor):
    """Read big-endian Java primitives from bytes."""

    def take(self, count: int) -> bytes:
        """Read ``count`` bytes. Raises ``Undecodable`` if the count is negative or too large."""
        if count < 0:
            raise Undecodable(f"at {self.at}: invalid length {count}")
        return super().take(count)

    def number(self, form: str) -> Any:
        """Read a number of type ``b``, ``h``, ``i``, ``q``, ``f``, ``d``, or ``H`` (unsigned)."""
        form = f">{form}"
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def boolean(self) -> bool:
        """Read a byte 0 or 1. Raises ``Undecodable`` for any other value."""
        at, value = self.at, self.number("b")
        if value not in (0, 1):
            raise Undecodable(f"at {at}: expected a boolean, found {value}")
        return bool(value)

    def utf(self) -> str:
        """Read a ``writeUTF`` string: a two-byte length and modified UTF-8."""
        return modified_utf8(self.take(self.number("H")))

    def long_utf(self) -> str | None:
        """Read a ``writeUTF8`` string: a four-byte length, -1 for null, and modified UTF-8."""
        length = self.number("i")
        return None if length == -1 else modified_utf8(self.take(length))

    def optional(self, read: Callable[[], Any]) -> Any:
        """Read a boolean and, if it is true, a value; return None otherwise."""
        return read() if self.boolean() else None

    def octets(self) -> bytes:
        """Read bytes that are preceded by a four-byte length."""
        return self.take(self.number("i"))

    def value(self, depth: int = 0) -> Any:
        """Read a ``marshalPrimitive`` value: a type byte, and a value, map or list."""
        if depth > DEEPEST:
            raise Undecodable(f"at {self.at}: more than {DEEPEST} levels of nesting")
        self.count_values()
        at, kind = self.at, self.number("b")
        if kind in _NUMBERS:
            return self.number(_NUMBERS[kind])
        if kind == 11:
            return self.mapping(depth + 1)
        if kind == 12:
            return [self.value(depth + 1) for _ in range(self._count(1))]
        simple: Mapping[int, Callable[[], Any]] = {
            0: lambda: None,
            1: self.boolean,
            3: self._char,
            9: self.utf,
            10: self.octets,
            13: self.long_utf,
        }
        if kind not in simple:
            raise Undecodable(f"at {at}: unknown value type {kind}")
        return simple[kind]()

    def mapping(self, depth: int = 0) -> dict[str, Any]:
        """Read a ``marshalPrimitiveMap``; a null map is returned as an empty one."""
        # A name takes at least two bytes, and a value at least one byte.
        return {self.utf(): self.value(depth) for _ in range(self._count(3))}

    def _char(self) -> str:
        return modified_utf8(chr(self.number("H")).encode("utf-8", "surrogatepass"))

    def _count(self, least: int) -> int:
        """Read the number of elements that follow, each at least ``least`` bytes long."""
        at, count = self.at, self.number("i")
        if count * least > self.left:
            raise Undecodable(f"at {at}: {count} values in {self.left} bytes")
        return max(0, int(count))


_NUMBERS = {2: "b", 4: "h", 5: "i", 6: "q", 7: "d", 8: "f"}


def modified_utf8(data: bytes) -> str:
    """Decode Java's modified UTF-8 or standard UTF-8. Raises ``Undecodable``."""
    try:
        if b"\xc0\x80" not in data and b"\xed" not in data:
            return data.decode()  # the result is the same, and takes half the memory
        units = data.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
        return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        raise Undecodable(f"invalid modified UTF-8: {data[:16].hex(' ')}") from None
