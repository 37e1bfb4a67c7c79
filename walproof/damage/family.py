"""Generate many damaged copies of a log from a seed."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator

from conformance.contents import Contents, digest
from conformance.kaitai.field_map import Field
from walproof.damage.operation_text import BadOperation, LogToDamage, damage

SECTORS = (512, 4096)
#: Maximum number of operations tried for one copy; some change nothing or do not fit.
ATTEMPTS = 50
#: Name of all array elements in :attr:`_Control.fields`.
UNIT = "[]"


def family(
    make: Callable[[], LogToDamage], count: int, seed: int
) -> Iterator[tuple[list[str], Contents]]:
    """Yield ``count`` distinct damaged logs with their operations.

    Each copy gets one operation, and all operations are used in turn. A small log may not have
    enough distinct copies.
    """
    draw = _Draw(random.Random(seed), make())
    earlier = {digest(draw.log.contents)}
    for number in range(count):
        for attempt in range(ATTEMPTS):
            operation = _OPERATIONS[(number + attempt) % len(_OPERATIONS)]
            log = make()
            try:
                damage(log, operation(draw))
            except BadOperation:
                continue
            mark = digest(log.contents)
            if mark not in earlier:
                earlier.add(mark)
                yield log.operations, log.contents
                break
        else:
            return


class _Draw:
    """Random parts of an undamaged log. They raise :class:`BadOperation` if there are none."""

    def __init__(self, chance: random.Random, log: LogToDamage) -> None:
        self.chance = chance
        self.log = log
        self._fields: dict[str, defaultdict[str, list[Field]]] = {}

    def file(self) -> str:
        return self.chance.choice(sorted(self.log.files))

    def offset(self) -> tuple[str, int]:
        """Return a file in the form of the operations, and an offset."""
        file = self.file()
        data = self.log.files[file]
        if not data:
            raise BadOperation("an empty file")
        return _in(file), self.chance.randrange(len(data))

    def leaf(self) -> tuple[str, Field]:
        """Return a leaf; every name has the same probability, however often it occurs."""
        file = self.file()
        names = sorted(name for name in self.fields(file) if name != UNIT)
        if not names:
            raise BadOperation("no fields")
        return self._field(file, self.chance.choice(names))

    def unit(self) -> str:
        """Return an element of an array."""
        file = self.file()
        if UNIT not in self.fields(file):
            raise BadOperation("no arrays")
        return self._field(file, UNIT)[0]

    def _field(self, file: str, name: str) -> tuple[str, Field]:
        field = self.chance.choice(self.fields(file)[name])
        return (f"{file}:{field.path}" if file else field.path), field

    def fields(self, file: str) -> defaultdict[str, list[Field]]:
        """Return the leaves of a file by their last path step, and its array elements."""
        if file not in self._fields:
            by_name = self._fields[file] = defaultdict(list)
            for field in self.log.each_field(file):
                if field.end > field.start:
                    if field.value is not None:
                        by_name[field.path.rpartition(".")[2].partition("[")[0]].append(field)
                    if field.path.endswith("]"):
                        by_name[UNIT].append(field)
        return self._fields[file]


def _in(file: str) -> str:
    return f" in {file}" if file else ""


def _flip(draw: _Draw) -> str:
    try:
        path, leaf = draw.leaf()
    except BadOperation:
        file, at = draw.offset()
        return f"flip bit {draw.chance.randrange(8)} of byte {at}{file}"
    return f"flip bit {draw.chance.randrange(8 * (leaf.end - leaf.start))} of {path}"


def _set(draw: _Draw) -> str:
    path, leaf = draw.leaf()
    if not isinstance(leaf.value, int):
        raise BadOperation("not a number")
    end, value = 1 << 8 * (leaf.end - leaf.start), int(leaf.value)
    values = (0, 1, end - 1, end - 1 >> 1, (value + 1) % end, (value - 1) % end)
    return f"set {path} to {draw.chance.choice(values)}"


def _truncate(draw: _Draw) -> str:
    file, at = draw.offset()
    return f"truncate at {at}{file}"


def _zero_sector(draw: _Draw) -> str:
    file, at = draw.offset()
    sector = draw.chance.choice(SECTORS)
    return f"zero sector {at // sector} of {sector} bytes{file}"


def _torn(draw: _Draw) -> str:
    file, _ = draw.offset()
    return f"torn at the last boundary of {draw.chance.choice(SECTORS)} bytes{file}"


def _swap_sectors(draw: _Draw) -> str:
    file, _ = draw.offset()
    count = len(draw.log.files[file.removeprefix(" in ")]) // 512
    if count < 2:
        raise BadOperation("fewer than two sectors")
    first, second = draw.chance.sample(range(count), 2)
    return f"swap sectors {first} and {second} of 512 bytes{file}"


def _extend(draw: _Draw) -> str:
    file = draw.file()
    return f"extend by {draw.chance.randbytes(draw.chance.randrange(1, 65)).hex()}{_in(file)}"


def _remove(draw: _Draw) -> str:
    names = sorted(name for name in draw.log.files if name)
    if len(names) < 2:
        raise BadOperation("not several files")
    return f"remove {draw.chance.choice(names)}"


_OPERATIONS: tuple[Callable[[_Draw], str], ...] = (
    _flip, _set, _truncate, lambda draw: f"zero {draw.leaf()[0]}", _flip, _zero_sector, _torn,
    _swap_sectors, lambda draw: f"duplicate {draw.unit()}", lambda draw: f"drop {draw.unit()}",
    _extend, _remove,
)  # fmt: skip
