"""Which bytes of a control are structure, by the grammar of its format."""

from __future__ import annotations

import contextlib
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from conformance.kaitai.field_map import Field, ParseStopped, iter_fields

CONTENT = frozenset(
    {"data", "payload", "application_data", "rest", "unused", "leftover", "padding", "trailer"}
)
"""Names of the leaves whose bytes mean nothing to the format: payloads and filling.

Everything else that a grammar names is structure: lengths, types, checksums, numbers, offsets.
"""


@dataclass(frozen=True)
class FieldsOfFile:
    """The field map of one file of a control, for looking up offsets.

    ``leaves`` are the fields without fields of their own, by offset, ``all`` those with some
    bytes, no two with the same span. ``structural`` and ``content`` are the offsets of the bytes
    of each kind; bytes that no field covers are content. Of a field only its place is kept: a
    value may be of a class that exists where the grammar was compiled, and nowhere else.
    """

    size: int
    all: tuple[Field, ...]
    leaves: tuple[Field, ...]
    structural: tuple[int, ...]
    content: tuple[int, ...]

    def at(self, offset: int) -> Field | None:
        """The leaf that holds a byte; None where no field does."""
        number = bisect_right(self.leaves, offset, key=lambda field: field.start) - 1
        if number >= 0 and offset < self.leaves[number].end:
            return self.leaves[number]
        return None

    def name_at(self, offset: int) -> str:
        """The generic name of the leaf at an offset: ``blocks[].records[].header.type``."""
        if offset >= self.size:
            return "the end"
        field = self.at(offset)
        return generic(field.path) if field else "bytes without a field"


def fields_of(data: bytes, format: str, name: str) -> FieldsOfFile:
    """The field map of a file. Where the grammar stops, the fields read so far count."""
    fields: list[Field] = []
    with contextlib.suppress(ParseStopped):
        fields.extend(iter_fields(data, format, name))
    return from_fields(fields, len(data))


def from_fields(fields: Sequence[Field], size: int) -> FieldsOfFile:
    """The same from an existing field map."""
    spans: dict[tuple[int, int], Field] = {}
    leaves: list[Field] = []
    content = bytearray(b"\1") * size
    for field in fields:
        if not field.start < field.end <= size:
            continue
        place = replace(field, value=None, requirements=(), doc="")
        spans.setdefault((field.start, field.end), place)
        if field.value is not None:
            leaves.append(place)
            if leaf_name(field.path) not in CONTENT:
                content[field.start : field.end] = bytes(field.end - field.start)
    leaves.sort(key=lambda field: field.start)
    return FieldsOfFile(
        size,
        tuple(spans.values()),
        tuple(leaves),
        tuple(at for at in range(size) if not content[at]),
        tuple(at for at in range(size) if content[at]),
    )


def generic(path: str) -> str:
    """A field path without its numbers: what the field is, whichever one it is."""
    return re.sub(r"\[\d+\]", "[]", path)


def brief(text: str) -> str:
    """The text with paths shortened where they repeat one step more than three times."""
    return re.sub(r"(\.(\w+)\[\d*\])(?:\.\2\[\d*\]){3,}", r"\1.…", text)


def leaf_name(path: str) -> str:
    """The last step of a path: ``len_data`` of ``blocks[0].records[1].header.len_data``."""
    return generic(path).rpartition(".")[2].removesuffix("[]")
