"""Field maps of controls, which tell structure from content according to the grammar."""

from __future__ import annotations

import contextlib
import functools
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.damage.checksums import without_indices as generic
from conformance.kaitai.field_map import Field, ParseStopped, iter_fields

#: The format does not interpret the bytes of leaves with these names: payloads and padding. All
#: other leaves are structure, such as lengths, types, checksums, numbers and offsets.
CONTENT = frozenset(
    {"data", "page", "payload", "application_data", "rest", "unused", "leftover", "padding",
     "trailer"}
)  # fmt: skip


@dataclass(frozen=True)
class FieldsOfFile:
    """The field map of a control's file, for looking up offsets."""

    size: int
    #: One field for each span of at least one byte. The fields have no values, because the classes
    #: of values exist only in the process that compiled the grammar and cannot be sent to workers.
    all: tuple[Field, ...]
    #: The fields that have no subfields, sorted by offset.
    leaves: tuple[Field, ...]
    #: The offsets of bytes that are structure.
    structural: tuple[int, ...]
    #: Offsets of all other bytes.
    content: tuple[int, ...]

    @functools.cached_property
    def by_path(self) -> Mapping[str, Field]:
        """All fields by path."""
        return {field.path: field for field in (*self.all, *self.leaves)}

    def at(self, offset: int) -> Field | None:
        """Return the leaf that contains the byte at an offset, or None."""
        number = bisect_right(self.leaves, offset, key=lambda field: field.start) - 1
        if number >= 0 and offset < self.leaves[number].end:
            return self.leaves[number]
        return None

    def name_at(self, offset: int) -> str:
        """Return the generic name of the leaf at an offset: ``blocks[].records[].header.type``."""
        if offset >= self.size:
            return "the end"
        field = self.at(offset)
        return generic(field.path) if field else "bytes without a field"


def fields_of(data: bytes, format: str, name: str) -> FieldsOfFile:
    """Return the field map of a file, up to the point where parsing fails."""
    fields: list[Field] = []
    with contextlib.suppress(ParseStopped):
        fields.extend(iter_fields(data, format, name))
    return from_fields(fields, len(data))


def from_fields(fields: Sequence[Field], size: int) -> FieldsOfFile:
    """Return the field map of a file that is ``size`` bytes long, from its parsed fields."""
    spans: dict[tuple[int, int], Field] = {}
    leaves: list[Field] = []
    content = bytearray(b"\1") * size
    for field in fields:
        if not field.start < field.end <= size:
            continue
        bare = replace(field, value=None, requirements=(), doc="")
        spans.setdefault((field.start, field.end), bare)
        if field.value is not None:
            leaves.append(bare)
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


def brief(text: str) -> str:
    """Shorten a path: write ``…`` in place of steps that repeat more than three times."""
    return re.sub(r"(\.(\w+)\[\d*\])(?:\.\2\[\d*\]){3,}", r"\1.…", text)


def leaf_name(path: str) -> str:
    """Return the last step of a path, such as ``len_data`` in ``records[1].header.len_data``."""
    return generic(path).rpartition(".")[2].removesuffix("[]")
