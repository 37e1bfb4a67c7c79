"""The layout of etcd's write-ahead log: names, frames, records and payloads.

Upstream authority: etcd-io/etcd ``server/storage/wal/{wal,encoder,decoder}.go``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

METADATA, ENTRY, STATE, CRC, SNAPSHOT = range(1, 6)
TYPES: Mapping[int, str] = {  # ETW-008
    METADATA: "metadata",
    ENTRY: "entry",
    STATE: "state",
    SNAPSHOT: "snapshot",
}
ENTRY_TYPES = ("normal", "conf-change", "conf-change-v2")
LENGTH_SIZE = 8
LENGTH_MASK = (1 << 56) - 1
IS_PADDED = 1 << 63
MAX_VARINT_SIZE = 10

SEGMENT_NAME = re.compile(r"([0-9A-Fa-f]{1,16})-([0-9A-Fa-f]{1,16})\.wal", re.ASCII)


def sequence(name: str) -> int | None:
    """Return the sequence number in a segment name, or None for any other name (ETW-001)."""
    match = SEGMENT_NAME.fullmatch(name)
    return int(match[1], 16) if match else None


def segment_name(number: int, index: int) -> str:
    """Return the name that etcd gives a segment (ETW-001)."""
    return f"{number:016x}-{index:016x}.wal"


def segments(folder: Path) -> list[str]:
    """Return the names of a folder's segments in reading order (ETW-002)."""
    names = [path.name for path in folder.iterdir() if path.is_file()]
    return sorted(
        (name for name in names if sequence(name) is not None),
        key=lambda name: (sequence(name), name.encode()),
    )


# -- frames ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Length:
    """The length field of a frame (ETW-003)."""

    record: int
    padding: int

    @property
    def frame(self) -> int:
        """Return the size of the whole frame, in bytes."""
        return LENGTH_SIZE + self.record + self.padding


def length_at(data: bytes, at: int) -> Length:
    """Return the length field at an offset. Missing bytes count as zeros."""
    number = int.from_bytes(data[at : at + LENGTH_SIZE], "little")
    return Length(number & LENGTH_MASK, number >> 56 & 7 if number & IS_PADDED else 0)


def padding_of(record: int) -> int:
    """Return how many bytes of padding a writer adds to a record of this size (ETW-004)."""
    return -record % 8


def frame(record: bytes, is_padded: bool = True) -> bytes:
    """Return a record in its frame (ETW-003, ETW-004)."""
    padding = padding_of(len(record)) if is_padded else 0
    length = len(record) | (IS_PADDED | padding << 56 if padding else 0)
    return length.to_bytes(LENGTH_SIZE, "little") + record + bytes(padding)


def record(kind: int, crc: int, data: bytes | None) -> bytes:
    """Encode a record (ETW-005)."""
    head = b"\x08" + varint(kind) + b"\x10" + varint(crc)
    return head if data is None else head + b"\x1a" + varint(len(data)) + data


# -- Protocol Buffers ------------------------------------------------------------------------------


def varint(number: int) -> bytes:
    """Encode an unsigned number as a varint."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return the varint at an offset, and the offset after it.

    Raises ``ValueError`` unless the varint ends within ten bytes and not after ``end``.
    """
    number = 0
    for step, byte in enumerate(data[at : min(end, at + MAX_VARINT_SIZE)]):
        number |= (byte & 0x7F) << 7 * step
        if byte < 0x80:
            return number & (1 << 64) - 1, at + step + 1
    raise ValueError("an unfinished varint")


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, Any]]:
    """Yield the number, wire type and value of each field in a message (ETW-006).

    A value of wire type 2 is yielded as a range of offsets. Raises ``ValueError`` for an invalid
    message.
    """
    while at < end:
        tag, at = read_varint(data, at, end)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise ValueError("an invalid field number")
        value: Any
        if wire == 0:
            value, at = read_varint(data, at, end)
        elif wire == 2:
            size, at = read_varint(data, at, end)
            value = (at, at + size)
            at += size
        elif wire in (1, 5):
            value, at = None, at + (8 if wire == 1 else 4)
        else:
            raise ValueError("an invalid wire type")
        if at > end:
            raise ValueError("a field beyond the end")
        yield number, wire, value


#: The names of the numbers of each payload, which are its fields from 1 on (ETW-010).
_NUMBERS = {
    ENTRY: ("entry_type", "term", "index"),
    STATE: ("term", "vote", "commit"),
    SNAPSHOT: ("index", "term"),
}
#: The number of the field of bytes.
_BYTES = {ENTRY: 4, SNAPSHOT: 3}


def payload_numbers(kind: int, payload: bytes) -> dict[str, int] | None:
    """Return the numbers in a payload, or None if it is invalid for its type (ETW-010)."""
    if kind == METADATA:
        return {}
    names = _NUMBERS[kind]
    found = dict.fromkeys(names, 0)
    try:
        for number, wire, value in fields(payload, 0, len(payload)):
            if wire == 0 and number <= len(names):
                found[names[number - 1]] = value
            elif wire != 2 or number != _BYTES.get(kind):
                return None
    except ValueError:
        return None
    if kind == ENTRY:
        is_valid = found["entry_type"] < len(ENTRY_TYPES) and found["term"] and found["index"]
    elif kind == STATE:
        is_valid = found["term"] > 0
    else:
        is_valid = (found["index"] == 0) == (found["term"] == 0)
    return found if is_valid else None


def record_fields(kind: int, numbers: Mapping[str, int] | None) -> dict[str, Any]:
    """Return the fields that a record has in an answer."""
    named = {name: str(value) for name, value in (numbers or {}).items()}
    if "entry_type" in named:
        named["entry_type"] = ENTRY_TYPES[int(named["entry_type"])]
    return {"record_type": TYPES[kind], **named}
