"""Damage behind a checksum that holds: a field is changed, and the checksum is made to match.

Single faults end at the checksum, so that what a reader does behind it is never seen. These are
``flip`` or ``set``, then the ``reseal`` of the format's recipes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crc32c import crc32c

from conformance.kaitai.field_map import Field
from conformance.recipes.algebra import Damage
from reference_impl.leveldb_log.layout import (
    HEADER_SIZE,
    masked_crc,
)
from walproof.sweep.fields import FieldsOfFile, generic, leaf_name
from walproof.sweep.operations import Edit, Listed, edge_values

OPERATION = "reseal"


@dataclass(frozen=True)
class Seal:
    """What one checksum covers: a field of the grammar, its leaf with the checksum, and how.

    ``edit`` gives the right checksum for damaged bytes; ``reseal`` does it with the recipes'
    verb; ``in_folders`` says that the verb knows logs of several files.
    """

    unit: str
    edit: Callable[[bytes, Field, FieldsOfFile], Edit]
    reseal: Callable[[Any, str, str], None]
    in_folders: bool = False


def _leveldb(data: bytes, unit: Field, fields: FieldsOfFile) -> Edit:
    at = unit.start
    length = int.from_bytes(data[at + 4 : at + 6], "little")
    checksum = masked_crc(data[at + 6 : at + HEADER_SIZE + length])
    return (at, at + 4, checksum.to_bytes(4, "little"))


def _zeebe_record(data: bytes, unit: Field, fields: FieldsOfFile) -> Edit:
    at = unit.start
    start = next(f.start for f in fields.all if f.path == f"{unit.path}.data")
    length = int.from_bytes(data[at + 17 : at + 21], "little")
    checksum = crc32c(data[start : start + length])
    return (at + 9, at + 17, checksum.to_bytes(8, "little"))


def _zeebe_descriptor(data: bytes, unit: Field, fields: FieldsOfFile) -> Edit:
    length = 8 + int.from_bytes(data[17:19], "little")
    return (9, 17, crc32c(data[17 : 17 + length]).to_bytes(8, "little"))


def _kahadb(data: bytes, unit: Field, fields: FieldsOfFile) -> Edit:
    at = unit.start
    return (at + 20, at + 28, struct.pack(">q", zlib.adler32(data[at + 28 : unit.end])))


def _by_path(log: Any, path: str, file: str) -> None:
    log.reseal(path)


def _descriptor(log: Any, path: str, file: str) -> None:
    log.reseal_descriptor(file)


SEALS: Mapping[str, tuple[Seal, ...]] = {
    "leveldb-log": (Seal("blocks[].records[]", _leveldb, _by_path),),
    "zeebe-journal": (
        Seal("records[]", _zeebe_record, _by_path, True),
        Seal("descriptor", _zeebe_descriptor, _descriptor, True),
    ),
    "kahadb-journal": (Seal("batches[]", _kahadb, _by_path),),
}
"""By format. The others have no checksum over structure."""


def reseal(family: Listed, format: str) -> None:
    """Each bit, the edges and for single bytes each value of structural fields, then reseal."""
    structural = set(family.fields.structural)
    for seal in SEALS.get(format, ()):
        if family.file and not seal.in_folders:
            continue
        units = [field for field in family.fields.all if generic(field.path) == seal.unit]
        for unit in units:
            if format == "kahadb-journal" and not any(
                family.data[unit.start + 20 : unit.start + 28]
            ):
                continue  # a batch without a checksum has none to mend
            for leaf in family.fields.leaves:
                inside = unit.start <= leaf.start and leaf.end <= unit.end
                if inside and leaf.start in structural and leaf_name(leaf.path) != "checksum":
                    _leaf(family, seal, unit, leaf)


def _leaf(family: Listed, seal: Seal, unit: Field, leaf: Field) -> None:
    data, file = family.data, family.file
    path, unit_path = family.named(leaf.path), family.named(unit.path)
    for new, change in _changes(data[leaf.start : leaf.end], path):
        changed = data[: leaf.start] + new + data[leaf.end :]
        right = seal.edit(changed, unit, family.fields)
        if right[1] > len(data) or changed[right[0] : right[1]] == right[2]:
            continue  # nothing that the checksum covers

        def call(damage: Damage, change: Any = change, seal: Seal = seal) -> None:
            change(damage)
            seal.reseal(damage, unit_path, file)

        family.add(((leaf.start, leaf.end, new), right), call, generic(leaf.path))


def _changes(old: bytes, path: str) -> Iterator[tuple[bytes, Callable[[Damage], None]]]:
    seen = {old}
    for bit in range(8 * len(old)):
        new = bytearray(old)
        new[bit // 8] ^= 1 << bit % 8
        seen.add(bytes(new))
        yield bytes(new), lambda damage, bit=bit: damage.flip(path, bit)  # type: ignore[misc]
    values = [bytes([value]) for value in range(256)] if len(old) == 1 else []
    if len(old) <= 8:
        values += edge_values(old)
    for value in dict.fromkeys(values):
        if value not in seen:
            yield value, lambda damage, value=value: damage.set(path, value)  # type: ignore[misc]
