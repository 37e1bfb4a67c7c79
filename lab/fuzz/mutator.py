"""Change an input by the damage operations of the sweep, or change its bytes, files or context.

After most changes, the checksums are corrected. Otherwise, readers would stop at the checksum.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from conformance.kaitai.field_map import Field
from lab.fuzz.inputs import MAX_FILES, MAX_INPUT_BYTES, Input, NotPacked, unpack
from walproof.formats import plugin_for
from walproof.sweep import folders
from walproof.sweep.fields import FieldsOfFile, generic
from walproof.sweep.operations import DAMAGES, File, applied

#: A function that changes bytes, and returns at most the given number of bytes.
Native = Callable[[bytes, int], bytes]
#: The number of bytes reserved for the first line of a packed input.
HEAD_BYTES = 4096
#: The maximum number of field names that a damage may hit, and of fields with each name.
MAX_NAMES, MAX_ALIKE = 8, 4

#: Damages of fields are more frequent, because most code of a reader depends on fields.
FREQUENT = (*("flip",) * 6, *("set",) * 6, *("splice",) * 3, *DAMAGES)


class Mutator:
    """Changes inputs of one format, also with bytes, files and contexts of ``seeds``."""

    def __init__(self, format: str, seeds: Sequence[Input]) -> None:
        self.seeds = seeds
        self.seals = plugin_for(format).sweep.seals

    def change(self, packed: bytes, most: int, chance: Random, native: Native) -> bytes:
        """Return a changed input of at most ``most`` bytes. If ``packed`` is bad, change a seed."""
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
            return self._with_context(log, chance)
        name = chance.choice(sorted(log.files))
        data = log.files[name]
        if which < 0.34:
            return log.with_bytes(name, native(data, MAX_INPUT_BYTES))
        lender = chance.choice(self.seeds)
        older = [lender] if name in lender.files else []
        file = File(name, data, _some(log.spans(name), len(data), chance))
        changes = DAMAGES[chance.choice(FREQUENT)](file, older, "")
        # Prefixes and flips are sequences that compute a damage only when it is chosen.
        damages = changes if isinstance(changes, Sequence) else list(changes)
        if not damages:
            return log.with_bytes(name, native(data, MAX_INPUT_BYTES))
        edits = chance.choice(damages).edits
        changed = log.with_bytes(name, applied(data, edits))
        lo, hi, new = edits[0]
        if hi - lo == len(new) and chance.random() < 0.8:
            sealed = self._sealed(log, name, lambda unit: unit.start <= lo < unit.end, changed)
            return log.with_bytes(name, sealed)
        return changed

    def _with_files(self, log: Input, chance: Random) -> Input:
        lender = chance.choice(self.seeds)
        files = dict(log.files)
        families = [family for family in folders.families(log) if family.count]
        if families and chance.random() < 0.8:
            family = chance.choice(families)
            family.apply(files, chance.randrange(family.count))
        elif not isinstance(lender.contents, bytes):
            files.update(lender.files)
        changed = replace(log, contents=dict(list(files.items())[:MAX_FILES]))
        try:
            return unpack(changed.pack())
        except NotPacked:  # the file names conflict
            return log

    def _with_context(self, log: Input, chance: Random) -> Input:
        suffix = log.name.rpartition(".")[2]
        alike = [
            seed
            for seed in self.seeds
            if seed.name.rpartition(".")[2] == suffix or "." not in seed.name + log.name
        ]
        return replace(log, context=chance.choice(alike).context) if alike else log

    def _sealed(
        self, log: Input, name: str, wanted: Callable[[Field], bool], changed: Input | None = None
    ) -> bytes:
        """Return the ``changed`` file with correct checksums in the ``wanted`` units of ``log``."""
        data, fields = (changed or log).files[name], log.spans(name)
        for seal in self.seals:
            for unit in fields:
                if generic(unit.path) != seal.unit or not wanted(unit):
                    continue
                try:
                    lo, hi, new = seal.edit(data, unit, fields)
                except (StopIteration, ValueError, IndexError):
                    continue  # a truncated unit may have no checksum
                if hi <= len(data):
                    data = data[:lo] + new + data[hi:]
        return data


def _some(fields: Sequence[Field], size: int, chance: Random) -> FieldsOfFile:
    """Return a few fields of a file. The choice of names does not depend on their frequency."""
    by_name = defaultdict(list)
    for field in fields:
        by_name[generic(field.path)].append(field)
    names = chance.sample(sorted(by_name), min(MAX_NAMES, len(by_name)))
    some = [
        field
        for name in names
        for field in chance.sample(by_name[name], min(MAX_ALIKE, len(by_name[name])))
    ]
    leaves = [field for field in some if field.value is not None]
    # One byte of each field can be flipped, so a long payload gets no more flips than a type.
    flipped = tuple(chance.randrange(field.start, field.end) for field in leaves)
    structural = (*flipped, *(field.start for field in leaves))
    return FieldsOfFile(size, tuple(some), tuple(leaves), structural, ())


def _fitting(log: Input, most: int) -> bytes:
    """Pack the input in a limited number of bytes, truncating the last files."""
    packed = log.pack()
    while len(packed) > most and log.size:
        name = next(name for name in reversed(list(log.files)) if log.files[name])
        data = log.files[name]
        log = log.with_bytes(name, data[: max(0, len(data) - (len(packed) - most) - 8)])
        packed = log.pack()
    return packed
