"""Errors of decoders, and a cursor that does not read past the end."""

from __future__ import annotations

#: Reason why a payload was not decoded, or not completely.
CUT = "the payload was truncated"


class Undecodable(ValueError):
    """Raised if a payload does not have the expected structure."""


class Incomplete(Undecodable):
    """Raised if a payload ends before the end of the next value."""


def most_values(size: int) -> int:
    """Return the maximum number of values in a payload of ``size`` bytes.

    Values are operations, fields and elements. A value of one byte in the payload may take several
    hundred bytes in memory. A payload with more values than the maximum is not decoded.
    """
    return (1 << 16) + size // 40


class Cursor:
    """A cursor that reads a payload from the front, with at most ``max_values`` values."""

    def __init__(self, data: bytes, max_values: int | None = None) -> None:
        self.data = data
        self.at = 0
        self.max_values = self._values_left = (
            most_values(len(data)) if max_values is None else max_values
        )

    @property
    def left(self) -> int:
        """The number of remaining bytes."""
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        """Return the next bytes. Raises :class:`Incomplete` if there are fewer."""
        if count > self.left:
            raise Incomplete(f"at {self.at}: expected {count} bytes, found {self.left}")
        self.at += count
        return self.data[self.at - count : self.at]

    def count_values(self, count: int = 1) -> None:
        """Count values. Raises :class:`Undecodable` if there are too many."""
        self._values_left -= count
        if self._values_left < 0:
            raise Undecodable(f"more than {self.max_values:,} values")

    def varint(self, limit: int = 10) -> int:
        """Read a number with seven bits per byte, lowest first, in at most ``limit`` bytes.

        If ``limit`` is 5, only the lowest 32 bits count, otherwise the lowest 64, as in the real
        readers.
        """
        value = shift = 0
        for at in range(self.at, min(self.at + limit, len(self.data))):
            byte = self.data[at]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                self.at = at + 1
                return value & (2**32 - 1 if limit <= 5 else 2**64 - 1)
        fault = Incomplete if self.left < limit else Undecodable
        raise fault(f"at {self.at}: unterminated varint")

    def sized(self, limit: int = 10) -> bytes:
        """Read a length as a varint, and return the bytes after it."""
        return self.take(self.varint(limit))


def text(data: bytes) -> str:
    """Decode UTF-8. Raises :class:`Undecodable`."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Undecodable(f"invalid UTF-8: {data[:16].hex(' ')}") from None
