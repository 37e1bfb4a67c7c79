"""All damages of one control, numbered, and pairs of them: bytes are made where they are read."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from conformance.contents import Contents
from conformance.kaitai.field_map import Field
from conformance.recipes.algebra import Damage
from conformance.recipes.generate import sources
from walproof.formats import plugin_for
from walproof.sweep import folders, operations, shares
from walproof.sweep.controls import Control
from walproof.sweep.fields import FieldsOfFile
from walproof.sweep.format_sweep import Edit
from walproof.sweep.operations import Family, Flip, Intact, Listed, Truncate

SECTORS = (512, 4096)
PAIR = "pair"
ATTEMPTS = 16
"""Pairs that are drawn for one number until two damages mix."""
LISTS = 1 << 16
"""Lists of records that a writer writes, or appends to the undamaged log, at most."""

CONTENT_FLIPS = 4096
"""Bytes of content that the depth ``quick`` flips one bit of, at most, evenly spaced."""


@dataclass(frozen=True)
class Recipe:
    """What made a case, in words: the operations of the algebra, and the field that was hit."""

    operation: str
    field: str
    damage: tuple[str, ...]
    calls: tuple[str, ...] = ()
    """The operations as lines of a recipe for ``conformance/recipes``."""


class DamagedLog(NamedTuple):
    """A damaged log. ``shifts``: whole units may have been moved, repeated, dropped or replaced.
    ``forges``: a checksum was made to match, or may have been switched off."""

    contents: Contents
    shifts: bool
    forges: bool


class Enumeration:
    """The damages of a control: families in order, then their pairs, then the log as it is.

    The same arguments give the same damages under the same numbers, in every process. ``older``
    are logs that serve as older generations. ``first_prefix`` leaves shorter prefixes out: those
    of another control, which it shares.
    """

    def __init__(
        self,
        control: Control,
        depth: str,
        older: Sequence[Control],
        seed: int,
        first_prefix: int = 0,
    ) -> None:
        self.control = control
        self.fields = control.fields
        self._pairs_tell = plugin_for(control.format).sweep.pairs_tell
        first, *_ = control.files
        families: list[Family] = [Intact(b"", self.fields[first], first, 1)]
        for file, data in control.files.items():
            fields = self.fields[file]
            with_file = [other for other in older if other.files.get(file)]
            families += _families(control, file, data, fields, depth, with_file, first_prefix)
        families += folders.families(control)
        self.families = [family for family in families if family.count]
        self.seed = seed
        self.pairs = Pairs(control, self.families, seed)
        self._ends = list(itertools.accumulate(family.count for family in self.families))

    @property
    def pair(self) -> int:
        """The number of the family of pairs, which comes after the others."""
        return len(self.families)

    @property
    def any(self) -> int:
        """The number of the family that is all others but the pairs, one after the other."""
        return len(self.families) + 1

    @property
    def lists(self) -> int:
        """The number of the family that is the log as it is, with many lists of records."""
        return len(self.families) + 2

    def count(self, family: int) -> int:
        """Damages of a family."""
        if family == self.lists:
            return LISTS
        if family == self.any:
            return self._ends[-1]
        return self.pairs.count if family == self.pair else self.families[family].count

    def resolved(self, family: int, number: int) -> tuple[int, int]:
        """The family that a damage of ``any`` belongs to, and its number there."""
        if family != self.any:
            return family, number
        at = bisect_right(self._ends, number)
        return at, number - (self._ends[at - 1] if at else 0)

    def operation(self, family: int) -> str:
        """Name of the operation."""
        if family == self.lists:
            return self.families[0].operation
        return PAIR if family == self.pair else self.families[family].operation

    def group(self, family: int) -> str:
        """The group of cases that a family belongs to, in the control's own context."""
        if family == self.pair:
            return shares.PAIRS
        chosen = self.families[family]
        if isinstance(chosen, folders.OnFolder):
            return shares.FOLDERS
        return shares.TRUNCATIONS if isinstance(chosen, Truncate) else shares.SINGLES

    def field(self, family: int, number: int) -> str:
        """Generic name of the field that is hit; empty for a pair."""
        return "" if family >= self.pair else self.families[family].field(number)

    def value(self, family: int, number: int) -> str:
        """Name of the value that a field gets, as families have it; empty for a pair."""
        return "" if family >= self.pair else self.families[family].value(number)

    @property
    def others(self) -> frozenset[bytes]:
        """Payloads of other logs whose bytes come in with some damages."""
        return frozenset(payload for family in self.families for payload in family.others)

    def make(self, family: int, number: int) -> DamagedLog | None:
        """The damaged log; None where a number stands for nothing (no two damages mix)."""
        halves = self._halves(family, number)
        if halves is None:
            return None
        files = dict(self.control.files)
        for half, n in halves:
            half.apply(files, n)
        return DamagedLog(
            files[""] if isinstance(self.control.contents, bytes) else files,
            any(half.shifts for half, _ in halves),
            any(half.forges for half, _ in halves)
            or (family == self.pair and not self._pairs_tell),
        )

    def _halves(self, family: int, number: int) -> list[tuple[Family, int]] | None:
        if family == self.pair:
            return self.pairs.halves(number)
        if family == self.lists:
            return []
        return [(self.families[family], number)]

    def describe(self, family: int, number: int) -> Recipe:
        """The words of a damage. Raises ``AssertionError`` if they do not make its bytes."""
        damage = _aimed(self.control, self.fields)
        transcript = _Transcript(damage)
        halves = self._halves(family, number)
        assert halves is not None, "a number that stands for nothing"
        field = self.field(family, number)
        if family == self.pair:
            field = " and ".join(f"{f.operation} {f.field(n)}" for f, n in halves)
        for half, n in halves:
            half.perform(n, cast(Damage, transcript))
        log = self.make(family, number)
        assert log and damage.contents == log.contents, f"{damage.operations}: other bytes"
        return Recipe(
            self.operation(family), field, tuple(damage.operations), tuple(transcript.calls)
        )


def _aimed(control: Control, fields: Mapping[str, FieldsOfFile]) -> Damage:
    """The algebra with the format's own verbs, on a control whose field maps are known."""
    (source,) = [each for each in sources() if each.book.format == control.format]
    damage = source.new_log(control.contents, [record.payload for record in control.records])
    by_path = {
        file: {field.path: field for field in (*of_file.all, *of_file.leaves)}
        for file, of_file in fields.items()
    }

    def field(path: str) -> Field:
        file, _, inner = path.rpartition(":")
        return by_path[file][inner]

    damage.field = field  # type: ignore[method-assign]
    return damage


class _Transcript:
    """Passes operations on, and records them as lines of a recipe."""

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
            "insert", "stale", "extend", operations.RESEAL,
        )
    }  # fmt: skip
    logs = Listed("extend", data, fields, file)
    older_bytes = [(other.id, other.files[file]) for other in older]
    # A log that comes in again has its own payloads, and brings those of others.
    logs.others = [record.payload for other in (control, *older) for record in other.records]
    listed["stale"].others = logs.others
    seed = f"{control.id}:{file}"
    full = depth == "full"
    operations.set_values(listed["set"], every_value=full)
    operations.zero_and_fill(listed["zero"], listed["fill"])
    operations.sectors(listed["zero-sector"], listed["swap-sectors"], SECTORS)
    operations.duplicate_and_drop(listed["duplicate"], listed["drop"])
    operations.splice(listed["splice"])
    operations.insert(listed["insert"], seed)
    operations.reseal(listed[operations.RESEAL], control.format)
    listed[operations.RESEAL].forges = True
    operations.stale(listed["stale"], older_bytes, SECTORS)
    operations.extend(listed["extend"], seed)
    operations.extend_by_logs(logs, older_bytes)
    content = fields.content
    if not full:
        content = content[:: max(1, -(-len(content) // CONTENT_FLIPS))]
    return [
        Truncate(data, fields, file, first_prefix),
        Flip(data, fields, file, fields.structural, 8),
        Flip(data, fields, file, content, 8 if full else 1),
        *listed.values(),
        logs,
    ]


# -- pairs -----------------------------------------------------------------------------------------


class Pairs:
    """Pairs of damages: first an operation each, then one of its damages each."""

    def __init__(self, control: Control, families: Sequence[Family], seed: int) -> None:
        self.control = control
        self.families = [f for f in families if not isinstance(f, Intact)]
        singles = sum(family.count for family in self.families)
        self.count = singles * (singles - 1) // 2
        self.seed = mixed(seed ^ int.from_bytes(control.id.encode()[-8:], "little"))

    def halves(self, number: int) -> list[tuple[Family, int]] | None:
        """The two damages in the order in which they are done; None where none were found."""
        for attempt in range(ATTEMPTS):
            if halves := self._drawn(mixed(self.seed + number * ATTEMPTS + attempt)):
                return halves
        return None

    def _drawn(self, chance: int) -> list[tuple[Family, int]] | None:
        """Two damages that mix, or None."""
        families = self.families
        family, other = families[chance % len(families)], families[(chance >> 16) % len(families)]
        chance = mixed(chance)
        first = (family, (chance & 0xFFFFFFFF) % family.count)
        second = (other, (chance >> 32) % other.count)
        if first == second:
            return None
        if isinstance(family, folders.OnFolder) or isinstance(other, folders.OnFolder):
            if family.touches(first[1]) & other.touches(second[1]):
                return None
            # What happens to bytes comes first: it needs the names of the control.
            return [first, second] if isinstance(other, folders.OnFolder) else [second, first]
        if family.file != other.file:
            return [first, second]
        if family.forges and other.forges:
            return None  # each would seal what the other changed
        edits = family.edits(first[1]), other.edits(second[1])
        orders = [_order(f, edit) for f, edit in zip((family, other), edits, strict=True)]
        if orders[1] < orders[0]:
            first, second = second, first
            edits, orders = (edits[1], edits[0]), [orders[1], orders[0]]
        # What is aimed at the control must not be aimed at bytes that have changed.
        return None if _overlap(*edits) else [first, second]


_SEALING, _KEEPING, _RESIZING, _AT_THE_END = range(4)


def _order(family: Family, edits: Sequence[Edit]) -> tuple[int, int]:
    """Return a key that sorts what is sealed first, then what keeps the length, then the rest from
    the back to the front, then what is appended."""
    if family.forges:
        return (_SEALING, 0)
    lo, hi, new = edits[0]
    if lo < 0:
        return (_AT_THE_END, 0)
    return (_KEEPING, 0) if len(edits) > 1 or hi - lo == len(new) else (_RESIZING, -lo)


def _overlap(edits: Sequence[Edit], others: Sequence[Edit]) -> bool:
    return any(lo < b_hi and b_lo < hi for lo, hi, _ in edits for b_lo, b_hi, _ in others)


def mixed(value: int) -> int:
    """A number that looks random, from a number (splitmix64): no state, the same everywhere."""
    value = (value + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return value ^ value >> 31
