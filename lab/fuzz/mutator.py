"""Mutate an input: the bytes of a field or file (by libFuzzer), the files of a folder, the context.

After most changes, the checksums are corrected. Otherwise, readers would stop at the first wrong
checksum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import PurePath
from random import Random

from conformance.damage.checksums import units_of
from conformance.damage.checksums import without_indices as generic
from conformance.kaitai.field_map import Field
from lab.fuzz.inputs import MAX_FILES, MAX_INPUT_BYTES, Input, NotPacked, unpack

#: A function that changes bytes and returns at most the given number of them.
Native = Callable[[bytes, int], bytes]
#: The number of bytes reserved for the first line of a packed input.
HEAD_BYTES = 4096


class Mutator:
    """Mutates inputs of one format, and copies files and contexts from ``seeds``."""

    def __init__(self, format: str, seeds: Sequence[Input]) -> None:
        self.seeds = seeds
        self.units = units_of(format)

    def change(self, packed: bytes, most: int, chance: Random, native: Native) -> bytes:
        """Change an input, or a seed if ``packed`` is invalid. Return at most ``most`` bytes."""
        try:
            log = unpack(packed)
        except NotPacked:
            log = chance.choice(self.seeds)
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5))):
            log = self._step(log, chance, native)
        if chance.random() < 0.3 and log.files:
            name = chance.choice(sorted(log.files))
            log = log.with_bytes(name, self._sealed(log, name, lambda unit: True))
        return _fitting(log, min(most, MAX_INPUT_BYTES + HEAD_BYTES))

    def _step(self, log: Input, chance: Random, native: Native) -> Input:
        which = chance.random()
        if not log.files or (not isinstance(log.contents, bytes) and which < 0.1):
            return self._with_files(log, chance)
        if which < 0.14:
            suffix = PurePath(log.name).suffix
            alike = [seed for seed in self.seeds if PurePath(seed.name).suffix == suffix]
            return replace(log, context=chance.choice(alike).context) if alike else log
        name = chance.choice(sorted(log.files))
        data, spans = log.files[name], log.spans(name)
        if which < 0.34 or not spans:
            return log.with_bytes(name, native(data, MAX_INPUT_BYTES))
        fields = _fields_of_a_name(spans, chance)
        field = chance.choice(fields)
        new = _changed_field(data, field, chance.choice(fields), chance, native)
        changed = log.with_bytes(name, data[: field.start] + new + data[field.end :])
        if len(new) == field.end - field.start and chance.random() < 0.8:
            sealed = self._sealed(
                log, name, lambda unit: unit.start <= field.start < unit.end, changed
            )
            return log.with_bytes(name, sealed)
        return changed

    def _with_files(self, log: Input, chance: Random) -> Input:
        """Remove or empty a file, exchange two files, or add the files of a seed."""
        files, lender = dict(log.files), chance.choice(self.seeds)
        if files and chance.random() < 0.8:
            first, second = (chance.choice(sorted(files)) for _ in range(2))
            action = chance.randrange(3)
            if action == 0:
                del files[first]
            elif action == 1:
                files[first] = b""
            else:
                files[first], files[second] = files[second], files[first]
        elif not isinstance(lender.contents, bytes):
            files.update(lender.files)
        changed = replace(log, contents=dict(list(files.items())[:MAX_FILES]))
        try:
            return unpack(changed.pack())
        except NotPacked:  # the file names conflict
            return log

    def _sealed(
        self, log: Input, name: str, wanted: Callable[[Field], bool], changed: Input | None = None
    ) -> bytes:
        """Return a file of ``changed`` after correcting the checksums of the ``wanted`` units."""
        data, fields = (changed or log).files[name], log.spans(name)
        for unit in self.units:
            for field in fields:
                if generic(field.path) != unit.path or not wanted(field):
                    continue
                try:
                    at, new = unit.checksum(data, field, fields)
                except (StopIteration, ValueError, IndexError):
                    continue  # a truncated unit may have no checksum
                if at + len(new) <= len(data):
                    data = data[:at] + new + data[at + len(new) :]
        return data


def _fields_of_a_name(fields: Sequence[Field], chance: Random) -> list[Field]:
    """Choose a field name at random, and return all fields with this name."""
    by_name = defaultdict(list)
    for field in fields:
        by_name[generic(field.path)].append(field)
    return by_name[chance.choice(sorted(by_name))]


def _changed_field(
    data: bytes, field: Field, other: Field, chance: Random, native: Native
) -> bytes:
    """Return new bytes for a field: mutated, removed, repeated, or copied from ``other``."""
    old = data[field.start : field.end]
    which = chance.random()
    if which < 0.6:
        new = native(old, len(old))
        return new + old[len(new) :]
    if which < 0.8:
        return data[other.start : other.end]
    return chance.choice((b"", old * 2))


def _fitting(log: Input, most: int) -> bytes:
    """Pack the input in a limited number of bytes, truncating the last files."""
    packed = log.pack()
    while len(packed) > most and log.size:
        name = next(name for name in reversed(list(log.files)) if log.files[name])
        data = log.files[name]
        log = log.with_bytes(name, data[: max(0, len(data) - (len(packed) - most) - 8)])
        packed = log.pack()
    return packed
