"""Change an input: fields of the grammar, whole units, bytes, files, or the context.

The operations are those of the damage algebra. Each operation is applied to the result of the
previous one, so inputs can become very different from an intact log. Checksums are often corrected,
because the code after a checksum would otherwise never run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, cast

from lab.fuzz.inputs import (
    MAX_FILES,
    MAX_INPUT_BYTES,
    Input,
    NotPacked,
    Position,
    Positions,
    is_name,
    unpack,
)
from walproof.formats import plugin_for
from walproof.sweep.enumeration import SECTORS
from walproof.sweep.folders import near_names
from walproof.sweep.operations import applied, edge_values

Native = Callable[[bytes, int], bytes]
"""Changes bytes in any way: at most so many come back."""

HEAD_BYTES = 4096
"""Room for the first line of a packed input."""

GARBAGE = (b"\0", b"\xff", bytes(7), bytes(512), b"\xff" * 4)


class Mutator:
    """Changes inputs of one format. ``seeds`` lend their bytes, names and contexts."""

    def __init__(self, format: str, seeds: Sequence[Input]) -> None:
        self.seeds = seeds
        self.seals = plugin_for(format).sweep.seals

    def change(self, packed: bytes, most: int, chance: Random, native: Native) -> bytes:
        """Return another input, of at most ``most`` bytes; from a seed where there is none."""
        try:
            log = unpack(packed)
        except NotPacked:
            log = chance.choice(self.seeds)
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5))):
            log = self._step(log, chance, native)
        if chance.random() < 0.3:
            log = self._sealed(log, chance)
        return _fitting(log, min(most, MAX_INPUT_BYTES + HEAD_BYTES))

    def cross(self, packed: bytes, other: bytes, most: int, chance: Random) -> bytes:
        """Return an input with a field, or the rest from a field on, of another input."""
        try:
            log, other_log = unpack(packed), unpack(other)
        except NotPacked:
            return packed[:most]
        if not log.files or not other_log.files:
            return log.pack()
        name, lender = chance.choice(sorted(log.files)), chance.choice(sorted(other_log.files))
        fields, theirs = log.fields(name), other_log.fields(lender)
        if not fields or not theirs:
            return log.pack()
        target = chance.choice(fields)
        source = chance.choice([field for field in theirs if field.name == target.name] or theirs)
        data, taken = log.files[name], other_log.files[lender]
        if chance.random() < 0.3:
            new = data[: target.start] + taken[source.start :]
        else:
            new = data[: target.start] + taken[source.start : source.end] + data[target.end :]
        return _fitting(log.with_bytes(name, new), most)

    def _step(self, log: Input, chance: Random, native: Native) -> Input:
        which = chance.random()
        if not isinstance(log.contents, bytes) and which < 0.1:
            return self._files(log, chance)
        if which < 0.14:
            return self._with_context(log, chance)
        files = sorted(log.files)
        if not files:
            return self._files(log, chance)
        name = chance.choice(files)
        data = log.files[name]
        if which < 0.34:
            return log.with_bytes(name, native(data, MAX_INPUT_BYTES))
        if which < 0.50:
            return log.with_bytes(name, self._whole(data, chance))
        fields = log.fields(name)
        leaves = [field for field in fields if field.leaf]
        if not leaves:
            return log.with_bytes(name, native(data, MAX_INPUT_BYTES))
        if which < 0.65:
            return log.with_bytes(name, _unit(data, fields, chance))
        lo, hi, new = _leaf(data, leaves, chance)
        data = applied(data, ((lo, hi, new),))
        if chance.random() < 0.6 and hi - lo == len(new):
            # Aimed by the fields as they were: what was changed may say how long they are.
            data = self._resealed(data, fields, lambda unit: unit.start <= lo < unit.end)
        return log.with_bytes(name, data)

    def _whole(self, data: bytes, chance: Random) -> bytes:
        """Change a file as a whole: cut, extended, sectors that were never written or are stale."""
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
                new = bytearray(data)
                new[a : a + sector], new[b : b + sector] = then, part
                return bytes(new)
            case 4:
                return data[:a] + other[a : a + sector] + data[a + sector :]
            case 5:
                return data + other
            case _:
                at = chance.randrange(len(data) + 1)
                return data[:at] + chance.choice((*GARBAGE, chance.randbytes(13))) + data[at:]

    def _files(self, log: Input, chance: Random) -> Input:
        """Change the files of a folder."""
        files = dict(log.files)
        names = sorted(files)
        lender = chance.choice(self.seeds)
        if not names:
            return replace(log, contents=lender.contents if "" not in lender.files else {})
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
        return _with_files(log, files)

    def _with_context(self, log: Input, chance: Random) -> Input:
        """Return the input with the context of a seed whose name ends alike."""
        suffix = log.name.rpartition(".")[2]
        alike = [
            seed
            for seed in self.seeds
            if seed.name.rpartition(".")[2] == suffix or "." not in seed.name + log.name
        ]
        return replace(log, context=chance.choice(alike).context) if alike else log

    def _sealed(self, log: Input, chance: Random) -> Input:
        """Make every checksum of a file match what it covers now."""
        name = chance.choice(sorted(log.files) or [""])
        data = log.files.get(name, b"")
        if not self.seals or not data:
            return log
        sealed = self._resealed(data, log.fields(name), lambda unit: True)
        return log.with_bytes(name, sealed)

    def _resealed(
        self, data: bytes, fields: Positions, wanted: Callable[[Position], bool]
    ) -> bytes:
        for seal in self.seals:
            for unit in fields:
                if unit.name != seal.unit or not wanted(unit):
                    continue
                try:
                    # A position has all attributes of a field that a seal reads.
                    lo, hi, new = seal.edit(data, cast(Any, unit), cast(Any, fields))
                except (StopIteration, ValueError, IndexError):
                    continue  # a unit that is cut off has no checksum
                if hi <= len(data):
                    data = data[:lo] + new + data[hi:]
        return data


def _leaf(data: bytes, leaves: Sequence[Position], chance: Random) -> tuple[int, int, bytes]:
    """Return another value for a field: all names alike, however often they occur."""
    name = chance.choice(sorted({field.name for field in leaves}))
    alike = [field for field in leaves if field.name == name]
    field = chance.choice(alike)
    old = data[field.start : field.end]
    match chance.randrange(6):
        case 0:
            flipped = bytearray(old)
            flipped[chance.randrange(len(old))] ^= 1 << chance.randrange(8)
            new = bytes(flipped)
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


def _unit(data: bytes, fields: Positions, chance: Random) -> bytes:
    """Return the bytes with an element or field twice, gone, moved, or over a like one."""
    units = [field for field in fields if field.path.endswith("]")] or fields
    unit = chance.choice(units)
    other = chance.choice([field for field in units if field.name == unit.name])
    mine, theirs = data[unit.start : unit.end], data[other.start : other.end]
    match chance.randrange(4):
        case 0:
            return data[: unit.end] + mine + data[unit.end :]
        case 1:
            return data[: unit.start] + data[unit.end :]
        case 2:
            return data[: unit.start] + theirs + data[unit.end :]
        case _:
            return data[: other.start] + mine + data[other.start :]


def _with_files(log: Input, files: Mapping[str, bytes]) -> Input:
    """Return the input with these files, or as it is where no folder can hold them."""
    changed = replace(log, contents=dict(list(files.items())[:MAX_FILES]))
    try:
        return unpack(changed.pack())
    except NotPacked:
        return log


def _fitting(log: Input, most: int) -> bytes:
    """Pack the input in at most so many bytes: the last files are cut."""
    packed = log.pack()
    while len(packed) > most and log.size:
        name = next(name for name in reversed(list(log.files)) if log.files[name])
        data = log.files[name]
        log = log.with_bytes(name, data[: max(0, len(data) - (len(packed) - most) - 8)])
        packed = log.pack()
    return packed
