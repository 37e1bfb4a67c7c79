"""What decoders raise, and reading without running over the end."""

from __future__ import annotations


class Undecodable(ValueError):
    """The payload is not what the format's users put there; the message says what was found."""


class Incomplete(Undecodable):
    """The payload ends before the value that is read."""


def most_values(size: int) -> int:
    """Values that are made of a payload of ``size`` bytes: operations, fields, elements.

    One may take a byte there, and some hundred when it is made. With more, a payload has no struct.
    """
    return (1 << 16) + size // 40


class Cursor:
    """Takes bytes from the front of a payload, of which ``most`` values may be made."""

    def __init__(self, data: bytes, most: int | None = None) -> None:
        self.data = data
        self.at = 0
        self.most = self._room = most_values(len(data)) if most is None else most

    @property
    def left(self) -> int:
        """Bytes that were not taken."""
        return len(self.data) - self.at

    def take(self, count: int) -> bytes:
        """The next bytes. Raises :class:`Incomplete` where there are fewer."""
        if count > self.left:
            raise Incomplete(f"at {self.at}: {count} bytes expected, {self.left} left")
        self.at += count
        return self.data[self.at - count : self.at]

    def count_values(self, count: int = 1) -> None:
        """Count values that are made. Raises :class:`Undecodable` where they are too many."""
        self._room -= count
        if self._room < 0:
            raise Undecodable(f"more than {self.most:,} values")

    def varint(self, limit: int = 10) -> int:
        """A number in seven bits a byte, the lowest first, in ``limit`` bytes at most.

        Bits above the 32nd (limit 5) or the 64th are dropped, as the real readers drop them.
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
        raise fault(f"at {self.at}: a varint that does not end")

    def sized(self, limit: int = 10) -> bytes:
        """Bytes with their length in front, as a varint."""
        return self.take(self.varint(limit))


def text(data: bytes) -> str:
    """UTF-8. Raises :class:`Undecodable`."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Undecodable(f"text that is not UTF-8: {data[:16].hex(' ')}") from None
