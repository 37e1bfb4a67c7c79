"""Enumerate all damages of a control and pairs of damages; bytes are generated on demand."""

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
#: Maximum number of pairs drawn for one number, until two damages can be combined.
ATTEMPTS = 16
#: Maximum number of record lists to write, or to append to the undamaged log.
LISTS = 1 << 16

#: Maximum content bytes that depth ``quick`` flips one bit of, evenly spaced.
CONTENT_FLIPS = 4096


@dataclass(frozen=True)
class Recipe:
    """A case in words: the operations of the damage algebra, and the field that they change.

    ``calls`` contains the operations as source lines for a recipe in ``conformance/recipes``.
    """

    operation: str
    field: str
    damage: tuple[str, ...]
    calls: tuple[str, ...] = ()


class DamagedLog(NamedTuple):
    """A damaged log.

    ``shifts`` is true if the damage may have moved, repeated, removed or replaced whole units.
    ``forges`` is true if it recomputed a checksum or may have disabled one.
    """

    contents: Contents
    shifts: bool
    forges: bool


class Enumeration:
    """Enumerate all damages of a control, by family and number.

    The families are the undamaged log, single damages and pairs of them. In every process, equal
    arguments give the same damages the same numbers. ``older`` are logs that serve as older
    generations. Prefixes shorter than ``first_prefix`` are left out, because an earlier control has
    the same ones.
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
        """Number of the family of pairs, which follows the single damages."""
        return len(self.families)

    @property
    def any(self) -> int:
        """Number of the family that concatenates all single damages."""
        return len(self.families) + 1

    @property
    def lists(self) -> int:
        """Number of the family that combines the undamaged log with many lists of records."""
        return len(self.families) + 2

    def count(self, family: int) -> int:
        """Return the number of damages of a family."""
        if family == self.lists:
            return LISTS
        if family == self.any:
            return self._ends[-1]
        return self.pairs.count if family == self.pair else self.families[family].count

    def resolved(self, family: int, number: int) -> tuple[int, int]:
        """Return family and number of a damage, resolving the family ``any``."""
        if family != self.any:
            return family, number
        at = bisect_right(self._ends, number)
        return at, number - (self._ends[at - 1] if at else 0)

    def operation(self, family: int) -> str:
        """Return the name of the operation."""
        if family == self.lists:
            return self.families[0].operation
        return PAIR if family == self.pair else self.families[family].operation

    def group(self, family: int) -> str:
        """Return the group of cases that a family belongs to in the control's own context."""
        if family == self.pair:
            return shares.PAIRS
        chosen = self.families[family]
        if isinstance(chosen, folders.OnFolder):
            return shares.FOLDERS
        return shares.TRUNCATIONS if isinstance(chosen, Truncate) else shares.SINGLES

    def field(self, family: int, number: int) -> str:
        """Return the generic name of the field that is hit; empty for a pair."""
        return "" if family >= self.pair else self.families[family].field(number)

    def value(self, family: int, number: int) -> str:
        """Return the name of the value that a field gets (see :meth:`Family.value`); empty for a
        pair.
        """
        return "" if family >= self.pair else self.families[family].value(number)

    @property
    def imported(self) -> list[Control]:
        """Logs whose bytes some damages bring in."""
        logs = {log.id: log for family in self.families for log in family.imported}
        return list(logs.values())

    def make(self, family: int, number: int) -> DamagedLog | None:
        """Return a damaged log; None if the number is a pair that cannot be combined."""
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
        """Describe a damage in words.

        Raises ``AssertionError`` if the described operations produce other bytes than the damage.
        """
        damage = _aimed(self.control, self.fields)
        transcript = _Transcript(damage)
        halves = self._halves(family, number)
        assert halves is not None, "the number has no valid pair"
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
    """Return the format's damage algebra on a control, using its precomputed field maps."""
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
    """Forward operations to a damage and record them as lines of a recipe."""

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
    # Extensions and stale bytes bring in records of this log and of others.
    logs.imported = listed["stale"].imported = (control, *older)
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
    """Pairs of damages: two families are drawn first, then one damage of each."""

    def __init__(self, control: Control, families: Sequence[Family], seed: int) -> None:
        self.control = control
        self.families = [f for f in families if not isinstance(f, Intact)]
        singles = sum(family.count for family in self.families)
        self.count = singles * (singles - 1) // 2
        self.seed = mixed(seed ^ int.from_bytes(control.id.encode()[-8:], "little"))

    def halves(self, number: int) -> list[tuple[Family, int]] | None:
        """Return two damages in the order to apply them; None if the number has no valid pair."""
        for attempt in range(ATTEMPTS):
            if halves := self._drawn(mixed(self.seed + number * ATTEMPTS + attempt)):
                return halves
        return None

    def _drawn(self, chance: int) -> list[tuple[Family, int]] | None:
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
            # Edits of bytes come first: they use the file names of the control.
            return [first, second] if isinstance(other, folders.OnFolder) else [second, first]
        if family.file != other.file:
            return [first, second]
        if family.forges and other.forges:
            return None  # each would reseal the change of the other
        edits = family.edits(first[1]), other.edits(second[1])
        orders = [_order(f, edit) for f, edit in zip((family, other), edits, strict=True)]
        if orders[1] < orders[0]:
            first, second = second, first
            edits, orders = (edits[1], edits[0]), [orders[1], orders[0]]
        # The second damage is defined on the control, so its bytes must not have changed.
        return None if _overlap(*edits) else [first, second]


_SEALING, _KEEPING, _RESIZING, _AT_THE_END = range(4)


def _order(family: Family, edits: Sequence[Edit]) -> tuple[int, int]:
    """Return a sort key for the edits of a pair of damages.

    Resealing comes first, then edits that keep the length, then other edits, and appending comes
    last. Edits that change the length are sorted from the end of the file to its start.
    """
    if family.forges:
        return (_SEALING, 0)
    lo, hi, new = edits[0]
    if lo < 0:
        return (_AT_THE_END, 0)
    return (_KEEPING, 0) if len(edits) > 1 or hi - lo == len(new) else (_RESIZING, -lo)


def _overlap(edits: Sequence[Edit], other_edits: Sequence[Edit]) -> bool:
    return any(lo < b_hi and b_lo < hi for lo, hi, _ in edits for b_lo, b_hi, _ in other_edits)


def mixed(value: int) -> int:
    """Return the pseudo-random number that splitmix64 derives from ``value``."""
    value = (value + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return value ^ value >> 31
