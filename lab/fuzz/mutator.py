"""Changes an input: its fields by the grammar, whole units, its bytes, its files, what is told.

The operations are those of the damage algebra, one after the other and on what the last one left,
so that an input drifts as far from a sound log as coverage leads it. Checksums are often made to
match: else all that a reader does after the checksum would never be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, cast

from lab.fuzz.field_positions import Known, Place, Places
from lab.fuzz.packed import MOST_FILES, Input, NotPacked, is_name, unpack
from walproof.formats import plugin_for
from walproof.sweep.folders import near_names
from walproof.sweep.operations import applied, edge_values
from walproof.sweep.recipes import SECTORS

Native = Callable[[bytes, int], bytes]
"""Changes bytes in any way: at most so many come back."""

LARGEST = 48 << 10
"""Bytes of an input at most, in all files together."""

GARBAGE = (b"\0", b"\xff", bytes(7), bytes(512), b"\xff" * 4)


def any_bytes(chance: Random) -> Native:
    """Changes without an engine that knows better: bits, bytes, copies."""

    def change(data: bytes, most: int) -> bytes:
        found = bytearray(data or b"\0")
        for _ in range(1 << chance.randrange(4)):
            at = chance.randrange(len(found) or 1)
            length = 1 << chance.randrange(7)
            match chance.randrange(5):
                case 0:
                    found[at : at + 1] = bytes([chance.randrange(256)])
                case 1:
                    del found[at : at + length]
                case 2:
                    found[at:at] = chance.randbytes(length)
                case 3:
                    to = chance.randrange(len(found) + 1)
                    found[to : to + length] = found[at : at + length]
                case _:
                    if found:
                        found[at] ^= 1 << chance.randrange(8)
            found = found or bytearray(1)
        return bytes(found[:most])

    return change


class Mutator:
    """Changes inputs of one format. ``seeds`` lend their bytes, names and contexts."""

    def __init__(self, format: str, seeds: Sequence[Input]) -> None:
        self.seeds = seeds
        self.seals = plugin_for(format).sweep.seals
        self.known = Known(format)

    def change(self, packed: bytes, most: int, chance: Random, native: Native) -> bytes:
        """Another input, of at most ``most`` bytes; from a seed where there is none."""
        try:
            one = unpack(packed)
        except NotPacked:
            one = chance.choice(self.seeds)
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5))):
            one = self._step(one, chance, native)
        if chance.random() < 0.3:
            one = self._sealed(one, chance)
        return _fitting(one, min(most, LARGEST + 4096))

    def cross(self, packed: bytes, other: bytes, most: int, chance: Random) -> bytes:
        """A field, or the rest from some field on, of another input in the place of one here."""
        try:
            one, two = unpack(packed), unpack(other)
        except NotPacked:
            return packed[:most]
        if not one.files or not two.files:
            return one.pack()
        name, lender = chance.choice(sorted(one.files)), chance.choice(sorted(two.files))
        places, theirs = self._places(one, name), self._places(two, lender)
        if not places or not theirs:
            return one.pack()
        target = chance.choice(places)
        source = chance.choice([place for place in theirs if place.name == target.name] or theirs)
        data, taken = one.files[name], two.files[lender]
        if chance.random() < 0.3:
            new = data[: target.start] + taken[source.start :]
        else:
            new = data[: target.start] + taken[source.start : source.end] + data[target.end :]
        return _fitting(self._with(one, name, new), most)

    def _step(self, one: Input, chance: Random, native: Native) -> Input:
        which = chance.random()
        if not isinstance(one.contents, bytes) and which < 0.1:
            return self._files(one, chance)
        if which < 0.14:
            return self._told(one, chance)
        files = sorted(one.files)
        if not files:
            return self._files(one, chance)
        name = chance.choice(files)
        data = one.files[name]
        if which < 0.34:
            return self._with(one, name, native(data, LARGEST))
        if which < 0.50:
            return self._with(one, name, self._whole(data, chance))
        places = self._places(one, name)
        leaves = [place for place in places if place.leaf]
        if not leaves:
            return self._with(one, name, native(data, LARGEST))
        if which < 0.65:
            return self._with(one, name, _unit(data, places, chance))
        lo, hi, new = _leaf(data, leaves, chance)
        data = applied(data, ((lo, hi, new),))
        if chance.random() < 0.6 and hi - lo == len(new):
            # Aimed by the fields as they were: what was changed may say how long they are.
            data = self._resealed(data, places, lambda unit: unit.start <= lo < unit.end)
        return self._with(one, name, data)

    def _whole(self, data: bytes, chance: Random) -> bytes:
        """What happens to files: cut, extended, sectors that were never written or are stale."""
        sector = chance.choice(SECTORS)
        count = max(1, -(-len(data) // sector))
        a, b = chance.randrange(count) * sector, chance.randrange(count) * sector
        other = next(iter(chance.choice(self.seeds).files.values()), b"")
        match chance.randrange(7):
            case 0:
                return data[: chance.randrange(len(data) + 1)]
            case 1:
                return data + chance.choice(GARBAGE)
            case 2:
                return data[:a] + bytes(len(data[a : a + sector])) + data[a + sector :]
            case 3:
                part, then = data[a : a + sector], data[b : b + sector]
                found = bytearray(data)
                found[a : a + sector], found[b : b + sector] = then, part
                return bytes(found)
            case 4:
                return data[:a] + other[a : a + sector] + data[a + sector :]
            case 5:
                return data + other
            case _:
                at = chance.randrange(len(data) + 1)
                return data[:at] + chance.choice((*GARBAGE, chance.randbytes(13))) + data[at:]

    def _files(self, one: Input, chance: Random) -> Input:
        """What happens to the files of a folder."""
        files = dict(one.files)
        names = sorted(files)
        lender = chance.choice(self.seeds)
        if not names:
            return replace(one, contents=lender.contents if "" not in lender.files else {})
        name, other = chance.choice(names), chance.choice(names)
        near = [new for new, _ in near_names(name) if is_name(new)] or [f"{name}.1"]
        match chance.randrange(6):
            case 0:
                del files[name]
            case 1:
                files[name], files[other] = files[other], files[name]
            case 2:
                files[chance.choice(near)] = files.pop(name)
            case 3:
                files[chance.choice(near)] = files[other]
            case 4:
                files[name] = b""
            case _:
                files.update(dict(lender.files) if "" not in lender.files else {})
        return _with_files(one, files)

    def _told(self, one: Input, chance: Random) -> Input:
        """The context of another log of its kind."""
        suffix = one.name.rpartition(".")[2]
        alike = [
            seed
            for seed in self.seeds
            if seed.name.rpartition(".")[2] == suffix or "." not in seed.name + one.name
        ]
        return replace(one, context=chance.choice(alike).context) if alike else one

    def _sealed(self, one: Input, chance: Random) -> Input:
        """Every checksum of a file made to match what it covers now."""
        name = chance.choice(sorted(one.files) or [""])
        data = one.files.get(name, b"")
        if not self.seals or not data:
            return one
        sealed = self._resealed(data, self._places(one, name), lambda unit: True)
        return self._with(one, name, sealed)

    def _resealed(self, data: bytes, places: Places, wanted: Callable[[Place], bool]) -> bytes:
        for seal in self.seals:
            for unit in places:
                if unit.name != seal.unit or not wanted(unit):
                    continue
                try:
                    # A place has what a seal asks a field for.
                    lo, hi, new = seal.edit(data, cast(Any, unit), cast(Any, places))
                except (StopIteration, ValueError, IndexError):
                    continue  # a unit that is cut off has no checksum
                if hi <= len(data):
                    data = data[:lo] + new + data[hi:]
        return data

    def _places(self, one: Input, name: str) -> Places:
        return self.known.of(one.files[name], name or one.name)

    def _with(self, one: Input, name: str, data: bytes) -> Input:
        """The input with other bytes in a file, whose places are carried along."""
        self.known.carried(one.files[name], data, name or one.name)
        return _with(one, name, data)


def _leaf(data: bytes, leaves: Sequence[Place], chance: Random) -> tuple[int, int, bytes]:
    """Another value for a field: all names alike, however often they occur."""
    name = chance.choice(sorted({place.name for place in leaves}))
    alike = [place for place in leaves if place.name == name]
    field = chance.choice(alike)
    old = data[field.start : field.end]
    match chance.randrange(6):
        case 0:
            found = bytearray(old)
            found[chance.randrange(len(old))] ^= 1 << chance.randrange(8)
            new = bytes(found)
        case 1 | 2 if len(old) <= 8:
            new = chance.choice(edge_values(old))
        case 3:
            other = chance.choice(alike)
            new = data[other.start : other.end]
        case 4 if len(old) <= 8:
            order = chance.choice(("little", "big"))
            number = int.from_bytes(old, order) + chance.choice((-8, -2, 2, 7, 8, 16, len(data)))  # type: ignore[arg-type]
            new = (number % (1 << 8 * len(old))).to_bytes(len(old), order)  # type: ignore[arg-type]
        case _:
            new = chance.choice((bytes(len(old)), b"\xff" * len(old), chance.randbytes(len(old))))
    return field.start, field.end, new


def _unit(data: bytes, places: Places, chance: Random) -> bytes:
    """An element or field twice, gone, moved, or over another of its kind."""
    units = [place for place in places if place.path.endswith("]")] or places
    one = chance.choice(units)
    other = chance.choice([place for place in units if place.name == one.name])
    mine, theirs = data[one.start : one.end], data[other.start : other.end]
    match chance.randrange(4):
        case 0:
            return data[: one.end] + mine + data[one.end :]
        case 1:
            return data[: one.start] + data[one.end :]
        case 2:
            return data[: one.start] + theirs + data[one.end :]
        case _:
            return data[: other.start] + mine + data[other.start :]


def _with(one: Input, name: str, data: bytes) -> Input:
    if isinstance(one.contents, bytes):
        return replace(one, contents=data)
    return replace(one, contents={**one.contents, name: data})


def _with_files(one: Input, files: Mapping[str, bytes]) -> Input:
    """The input with these files, or as it is where no folder can hold them."""
    changed = replace(one, contents=dict(list(files.items())[:MOST_FILES]))
    try:
        return unpack(changed.pack())
    except NotPacked:
        return one


def _fitting(one: Input, most: int) -> bytes:
    """The input in at most so many bytes: the last files are cut."""
    packed = one.pack()
    while len(packed) > most and one.size:
        name = next(name for name in reversed(list(one.files)) if one.files[name])
        data = one.files[name]
        one = _with(one, name, data[: max(0, len(data) - (len(packed) - most) - 8)])
        packed = one.pack()
    return packed
