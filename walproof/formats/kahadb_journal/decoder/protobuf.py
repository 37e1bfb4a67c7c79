"""Read the fields of a protobuf message by a table of field names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from walproof.decode.fault import Cursor, Undecodable, text
from walproof.decode.signed import signed

#: Wire types: the last three bits of a key.
VARINT, BYTES = 0, 2
_FIXED = {1: 8, 5: 4}


@dataclass(frozen=True)
class Field:
    """The name of a field, its wire type, and the conversion of its value."""

    name: str
    wire: int
    made: Callable[[Any], Any]


Fields = Mapping[tuple[int, int], Field]


def fields(*found: tuple[int, Field]) -> Fields:
    """Return a table of fields by number and wire type. Two fields may share a number."""
    return {(number, field.wire): field for number, field in found}


#: Functions that return a field with a name. Negative integers are 64-bit two's complement.
string = partial(Field, wire=BYTES, made=text)
octets = partial(Field, wire=BYTES, made=bytes)
integer = partial(Field, wire=VARINT, made=signed)
boolean = partial(Field, wire=VARINT, made=bool)


def nested(name: str, of: Fields) -> Field:
    """Return a field that contains a message."""
    return Field(name, BYTES, lambda data: read(data, of))


#: Key for the name and the size in bytes of the field in which a truncated message ends.
NOT_READ = "not_read"


def read(data: bytes, known: Fields, is_cut: bool = False) -> dict[str, Any]:
    """Return the known fields of a message. Raises ``Undecodable``.

    If ``is_cut`` is true, the result contains the complete fields and :data:`NOT_READ`.
    """
    cursor = Cursor(data)
    values: dict[str, Any] = {}
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
                return values | {NOT_READ: (None if cut is None else cut.name, size)}
            value = cursor.take(size)
        elif wire in _FIXED:
            value = cursor.take(_FIXED[wire])
        else:
            raise Undecodable(f"at {at}: no field of a protobuf message")
        field = known.get((key >> 3, wire))
        if field is not None:
            values[field.name] = field.made(value)
    return values
