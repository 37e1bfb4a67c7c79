"""The fields of a protobuf message, by a table of what they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from walproof.decode.fault import Cursor, Undecodable, text
from walproof.decode.signed import signed

VARINT, BYTES = 0, 2
"""How a value is written: the last three bits of its key."""
_FIXED = {1: 8, 5: 4}


@dataclass(frozen=True)
class Field:
    """The name of a field, how it is written, and what its value is made into."""

    name: str
    wire: int
    made: Callable[[Any], Any]


Fields = Mapping[tuple[int, int], Field]


def fields(*found: tuple[int, Field]) -> Fields:
    """A table by number and wire type: two fields of a message may have the same number."""
    return {(number, field.wire): field for number, field in found}


def string(name: str) -> Field:
    """A field of text."""
    return Field(name, BYTES, text)


def octets(name: str) -> Field:
    """A field of bytes."""
    return Field(name, BYTES, bytes)


def integer(name: str) -> Field:
    """A field with a number, negative ones in two's complement of 64 bits."""
    return Field(name, VARINT, signed)


def boolean(name: str) -> Field:
    """A field that is true or false."""
    return Field(name, VARINT, bool)


def nested(name: str, of: Fields) -> Field:
    """A message in a message."""
    return Field(name, BYTES, lambda data: read(data, of))


NOT_READ = "not_read"
"""The key of the field that the end of a cut message cuts: its name and its size in bytes."""


def read(data: bytes, known: Fields, is_cut: bool = False) -> dict[str, Any]:
    """The known fields; of one that is there twice the last. Raises ``Undecodable``.

    Of a message that ``is_cut`` these are the fields that are whole, and :data:`NOT_READ`.
    """
    cursor = Cursor(data)
    found: dict[str, Any] = {}
    while cursor.left:
        at, key = cursor.at, cursor.varint()
        wire = key & 7
        value: int | bytes
        if wire == VARINT:
            value = cursor.varint()
        elif wire == BYTES:
            size = cursor.varint()
            if is_cut and size > cursor.left:
                cut = known.get((key >> 3, wire))
                return found | {NOT_READ: (None if cut is None else cut.name, size)}
            value = cursor.take(size)
        elif wire in _FIXED:
            value = cursor.take(_FIXED[wire])
        else:
            raise Undecodable(f"at {at}: no field of a protobuf message")
        field = known.get((key >> 3, wire))
        if field is not None:
            found[field.name] = field.made(value)
    return found
