"""All damages of one control, numbered: ids travel, bytes are made where they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from conformance.contents import Contents
from conformance.kaitai.field_map import Field
from conformance.recipes.algebra import Damage
from conformance.recipes.generate import sources
from walproof.sweep import operations, reshaping, sealing
from walproof.sweep.controls import Control
from walproof.sweep.fields import FieldsOfFile
from walproof.sweep.formats.kind import Edit
from walproof.sweep.operations import Family, Flip, Listed, Truncate

SECTORS = (512, 4096)
CONTENT_FLIPS = 4096
"""Bytes of content that the depth ``quick`` flips one bit of, at most, evenly spaced."""

PAIR = "pair"


@dataclass(frozen=True)
class Recipe:
    """What made a case, in words: the operations of the algebra, and the field that was hit."""

    operation: str
    field: str
    damage: tuple[str, ...]
    calls: tuple[str, ...] = ()
    """The operations as lines of a recipe for ``conformance/recipes``."""


class Made(NamedTuple):
    """A damaged log. ``shifts``: whole units may have been moved, repeated, dropped or replaced.
    ``forges``: a checksum was made to match."""

    contents: Contents
    shifts: bool
    forges: bool


class Enumeration:
    """The damages of a control: families in order, then ``pairs`` sampled from them.

    The same arguments give the same damages under the same numbers, in every process. ``older``
    are logs that serve as older generations. ``first_prefix`` leaves shorter prefixes out: those
    of another control, which it shares.
    """

    def __init__(
        self,
        control: Control,
        depth: str,
        older: Sequence[Control],
        pairs: int,
        seed: int,
        first_prefix: int = 0,
    ) -> None:
        self.control = control
        self.families: list[Family] = []
        self.fields = control.fields
        for file, data in control.files.items():
            fields = self.fields[file]
            then = [o for o in older if o.files.get(file)]
            self.families += _families(control, file, data, fields, depth, then, first_prefix)
        self.families = [family for family in self.families if family.count]
        self.pairs = Pairs(control, self.families, pairs, seed)

    def count(self, family: int) -> int:
        """Damages of a family; the pairs come after the last one."""
        if family == len(self.families):
            return self.pairs.count
        return self.families[family].count

    def operation(self, family: int) -> str:
        """Name of the operation."""
        return PAIR if family == len(self.families) else self.families[family].operation

    @property
    def others(self) -> frozenset[bytes]:
        """Payloads of other logs whose bytes come in with some damages."""
        return frozenset(payload for family in self.families for payload in family.others)

    def make(self, family: int, number: int) -> Made | None:
        """The damaged log; None where a number stands for nothing (a pair that does not mix)."""
        if family == len(self.families):
            return self.pairs.make(number)
        chosen = self.families[family]
        contents: Contents
        if isinstance(chosen, operations.RemoveFile):
            contents = {n: d for n, d in self.control.files.items() if n != chosen.file}
        else:
            data = applied(chosen.data, chosen.edits(number))
            contents = with_file(self.control, chosen.file, data)
        return Made(contents, chosen.shifts, chosen.forges)

    def describe(self, family: int, number: int) -> Recipe:
        """The words of a damage. Raises ``AssertionError`` if they do not make its bytes."""
        damage = _aimed(self.control, self.fields)
        transcript = _Transcript(damage)
        if family == len(self.families):
            halves = self.pairs.halves(number)
            assert halves is not None, "a number that stands for nothing"
            field = " and ".join(f"{f.operation} {f.field(n)}" for f, n in halves)
        else:
            halves = [(self.families[family], number)]
            field = halves[0][0].field(number)
        for half, n in halves:
            half.perform(n, cast(Damage, transcript))
        made = self.make(family, number)
        assert made and damage.contents == made.contents, f"{damage.operations}: other bytes"
        return Recipe(
            self.operation(family), field, tuple(damage.operations), tuple(transcript.calls)
        )


def _aimed(control: Control, fields: Mapping[str, FieldsOfFile]) -> Damage:
    """The algebra with the format's own verbs, on a control whose field maps are known."""
    (source,) = [each for each in sources() if each.book.format == control.format]
    damage = source.new_log(control.contents, [record.payload for record in control.records])
    by_path = {
        file: {field.path: field for field in (*found.all, *found.leaves)}
        for file, found in fields.items()
    }

    def field(path: str) -> Field:
        file, _, inner = path.rpartition(":")
        return by_path[file][inner]

    damage.field = field  # type: ignore[method-assign]
    return damage


class _Transcript:
    """Passes operations on, and keeps them as lines of a recipe."""

    def __init__(self, damage: Damage) -> None:
        self.damage = damage
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.damage, name)
        if not callable(value):
            return value

        def call(*arguments: Any) -> None:
            shown = [a for a in arguments if a is not None and a != ""]
            self.calls.append(f"log.{name}({', '.join(map(repr, shown))})")
            value(*arguments)

        return call


class Pairs:
    """Pairs of damages, sampled: first an operation each, then one of its damages each."""

    def __init__(self, control: Control, families: Sequence[Family], count: int, seed: int) -> None:
        self.control = control
        self.families = [f for f in families if not isinstance(f, operations.RemoveFile)]
        self.count = count if self.families else 0
        self.seed = _mixed(seed ^ int.from_bytes(control.id.encode()[-8:], "little"))

    def halves(self, number: int) -> list[tuple[Family, int]] | None:
        """The two damages in the order in which they are done; None where they do not mix."""
        chance = _mixed(self.seed + number)
        families = self.families
        one, other = families[chance % len(families)], families[(chance >> 16) % len(families)]
        chance = _mixed(chance)
        first = (one, (chance & 0xFFFFFFFF) % one.count)
        second = (other, (chance >> 32) % other.count)
        if first == second:
            return None
        if one.file != other.file:
            return [first, second]
        if one.forges and other.forges:
            return None  # each would seal what the other changed
        edits = one.edits(first[1]), other.edits(second[1])
        orders = [_order(family, edit) for family, edit in zip((one, other), edits, strict=True)]
        if orders[1] < orders[0]:
            first, second = second, first
            edits, orders = (edits[1], edits[0]), [orders[1], orders[0]]
        # What is aimed at the control must not be aimed at bytes that have changed.
        return None if _overlap(*edits) else [first, second]

    def make(self, number: int) -> Made | None:
        """The log with both damages."""
        halves = self.halves(number)
        if halves is None:
            return None
        files = dict(self.control.files)
        for family, n in halves:
            files[family.file] = applied(files[family.file], family.edits(n))
        return Made(
            files[""] if isinstance(self.control.contents, bytes) else files,
            any(family.shifts for family, _ in halves),
            any(family.forges for family, _ in halves),
        )


_SEALING, _KEEPING, _RESIZING, _AT_THE_END = range(4)


def _order(family: Family, edits: Sequence[Edit]) -> tuple[int, int]:
    """What is sealed first, then what keeps the length, then from the back to the front, then
    what is appended."""
    if family.forges:
        return (_SEALING, 0)
    lo, hi, new = edits[0]
    if lo < 0:
        return (_AT_THE_END, 0)
    return (_KEEPING, 0) if len(edits) > 1 or hi - lo == len(new) else (_RESIZING, -lo)


def _overlap(one: Sequence[Edit], other: Sequence[Edit]) -> bool:
    return any(lo < b_hi and b_lo < hi for lo, hi, _ in one for b_lo, b_hi, _ in other)


def applied(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The bytes after some edits."""
    for lo, hi, new in edits:
        data = data[:lo] + new + data[hi:] if lo >= 0 else data + new
    return data


def with_file(control: Control, file: str, data: bytes) -> Contents:
    """The log with other bytes in one of its files."""
    if isinstance(control.contents, bytes):
        return data
    return {**control.contents, file: data}


def _families(
    control: Control,
    file: str,
    data: bytes,
    fields: FieldsOfFile,
    depth: str,
    older: Sequence[Control],
    first_prefix: int,
) -> list[Family]:
    listed = {
        name: Listed(name, data, fields, file)
        for name in (
            "set", "zero", "fill", "zero-sector", "swap-sectors", "duplicate", "drop", "splice",
            "insert", "stale", "extend", sealing.OPERATION,
        )
    }  # fmt: skip
    logs = Listed("extend", data, fields, file)
    then = [(other.id, other.files[file]) for other in older]
    # A log that comes in again has its own payloads, and brings those of others.
    logs.others = [record.payload for other in (control, *older) for record in other.records]
    listed["stale"].others = logs.others
    seed = f"{control.id}:{file}"
    full = depth == "full"
    operations.set_values(listed["set"], every_value=full)
    operations.zero_and_fill(listed["zero"], listed["fill"])
    operations.sectors(listed["zero-sector"], listed["swap-sectors"], SECTORS)
    reshaping.duplicate_and_drop(listed["duplicate"], listed["drop"])
    reshaping.splice(listed["splice"])
    reshaping.insert(listed["insert"], seed)
    sealing.reseal(listed[sealing.OPERATION], control.format)
    listed[sealing.OPERATION].forges = True
    reshaping.stale(listed["stale"], then, SECTORS)
    reshaping.extend(listed["extend"], seed)
    reshaping.extend_by_logs(logs, then)
    content = fields.content
    if not full:
        content = content[:: max(1, -(-len(content) // CONTENT_FLIPS))]
    found: list[Family] = [
        Truncate(data, fields, file, first_prefix),
        Flip(data, fields, file, fields.structural, 8),
        Flip(data, fields, file, content, 8 if full else 1),
        *listed.values(),
        logs,
    ]
    if file:
        found.append(operations.RemoveFile(data, fields, file, 1))
    return found


def _mixed(value: int) -> int:
    """A number that looks random, from a number (splitmix64): no state, the same everywhere."""
    value = (value + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return value ^ value >> 31
