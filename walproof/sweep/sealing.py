"""Damage under a checksum that holds: a field is changed, and the checksum is made to match.

Single faults end at the checksum, so that what a reader does after it is never seen. These are
``flip`` or ``set``, then the ``reseal`` of the format's recipes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.kaitai.field_map import Field
from conformance.recipes.algebra import Damage
from walproof.sweep.fields import generic, leaf_name
from walproof.sweep.formats import kind
from walproof.sweep.formats.kind import Seal
from walproof.sweep.operations import Listed, edge_values

OPERATION = "reseal"


def reseal(family: Listed, format: str) -> None:
    """Each bit, the edges and for single bytes each value of structural fields, then reseal."""
    structural = set(family.fields.structural)
    for seal in kind(format).seals:
        if family.file and not seal.in_folders:
            continue
        units = [field for field in family.fields.all if generic(field.path) == seal.unit]
        for unit in units:
            if not seal.is_there(family.data, unit):
                continue
            for leaf in family.fields.leaves:
                inside = unit.start <= leaf.start and leaf.end <= unit.end
                if inside and leaf.start in structural and leaf_name(leaf.path) != "checksum":
                    _leaf(family, seal, unit, leaf)


def _leaf(family: Listed, seal: Seal, unit: Field, leaf: Field) -> None:
    data, file = family.data, family.file
    path, unit_path = family.named(leaf.path), family.named(unit.path)
    for new, change in _changes(data[leaf.start : leaf.end], path):
        changed = data[: leaf.start] + new + data[leaf.end :]
        right = seal.edit(changed, unit, family.fields.all)
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
