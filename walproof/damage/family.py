"""Generate many damaged copies of a log from a seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from conformance.contents import Contents, digest
from conformance.kaitai.field_map import Field
from walproof.damage.log import LogToDamage
from walproof.damage.operation_text import BadOperation, damage

SECTORS = (512, 4096)
#: Maximum number of operations tried for one copy; some change nothing or do not fit.
ATTEMPTS = 50


class _Control:
    """The fields of a log, counted by name; the fields themselves are not stored."""

    def __init__(self, log: LogToDamage) -> None:
        self._log = log
        self._counts: dict[str, Counter[str]] = {}

    @property
    def files(self) -> Mapping[str, bytearray]:
        """Contents of each file."""
        return self._log.files

    def counts(self, file: str) -> Counter[str]:
        """Return the number of fields under each name of :func:`_names`."""
        if file not in self._counts:
            fields = self._log.each_field(file)
            self._counts[file] = Counter(name for field in fields for name in _names(field))
        return self._counts[file]

    def field_of(self, file: str, name: str, number: int) -> Field:
        """Return a field by its number among the fields with a name."""
        alike = (field for field in self._log.each_field(file) if name in _names(field))
        return next(islice(alike, number, None))


#: Name of all array elements in :func:`_names`.
UNIT = "[]"


def _names(field: Field) -> Iterator[str]:
    """Yield the names under which a field is counted; leaves count under their last path step."""
    if field.end > field.start:
        if field.value is not None:
            yield field.path.rpartition(".")[2].partition("[")[0]
        if field.path.endswith("]"):
            yield UNIT


def family(
    make: Callable[[], LogToDamage], count: int, seed: int
) -> Iterator[tuple[list[str], Contents]]:
    """Yield ``count`` distinct damaged logs with their operations.

    Each copy gets one operation, and all operations are used in turn. A small log may not have
    enough distinct copies.
    """
    chance = random.Random(seed)
    control = _Control(make())
    earlier = {digest(make().contents)}
    operations = list(_OPERATIONS)
    for number in range(count):
        for attempt in range(ATTEMPTS):
            operation = operations[(number + attempt) % len(operations)](chance, control)
            if operation is None:
                continue
            log = make()
            try:
                damage(log, operation)
            except BadOperation:
                continue
            mark = digest(log.contents)
            if mark not in earlier:
                earlier.add(mark)
                yield log.operations, log.contents
                break
        else:
            return


def _leaf(chance: random.Random, log: _Control) -> tuple[str, Field] | None:
    """Return a random leaf; every name has the same probability, however often it occurs."""
    file = chance.choice(sorted(log.files))
    counts = log.counts(file)
    names = sorted(name for name in counts if name != UNIT)
    if not names:
        return None
    name = chance.choice(names)
    leaf = log.field_of(file, name, chance.randrange(counts[name]))
    return f"{file}:{leaf.path}" if file else leaf.path, leaf


def _flip(chance: random.Random, log: _Control) -> str | None:
    if (leaf_with_path := _leaf(chance, log)) is None:
        file, at = _position(chance, log)
        return f"flip bit {chance.randrange(8)} of byte {at}{file}" if at is not None else None
    path, leaf = leaf_with_path
    return f"flip bit {chance.randrange(8 * (leaf.end - leaf.start))} of {path}"


def _set(chance: random.Random, log: _Control) -> str | None:
    if (leaf_with_path := _leaf(chance, log)) is None or not isinstance(
        leaf_with_path[1].value, int
    ):
        return None
    path, leaf = leaf_with_path
    maximum, value = (1 << 8 * (leaf.end - leaf.start)) - 1, int(leaf_with_path[1].value)
    values = (0, 1, maximum, maximum >> 1, (value + 1) % (maximum + 1), (value - 1) % (maximum + 1))
    return f"set {path} to {chance.choice(values)}"


def _zero(chance: random.Random, log: _Control) -> str | None:
    leaf_with_path = _leaf(chance, log)
    return f"zero {leaf_with_path[0]}" if leaf_with_path else None


def _truncate(chance: random.Random, log: _Control) -> str | None:
    file, at = _position(chance, log)
    return f"truncate at {at}{file}" if at is not None else None


def _zero_sector(chance: random.Random, log: _Control) -> str | None:
    file, at = _position(chance, log)
    sector = chance.choice(SECTORS)
    return f"zero sector {at // sector} of {sector} bytes{file}" if at is not None else None


def _torn(chance: random.Random, log: _Control) -> str | None:
    file, at = _position(chance, log)
    if at is None:
        return None
    return f"torn at the last boundary of {chance.choice(SECTORS)} bytes{file}"


def _swap_sectors(chance: random.Random, log: _Control) -> str | None:
    file, at = _position(chance, log)
    count = len(log.files[file.removeprefix(" in ")]) // 512
    if at is None or count < 2:
        return None
    first, second = chance.sample(range(count), 2)
    return f"swap sectors {first} and {second} of 512 bytes{file}"


def _unit(chance: random.Random, log: _Control, verb: str) -> str | None:
    file = chance.choice(sorted(log.files))
    if not (count := log.counts(file)[UNIT]):
        return None
    path = log.field_of(file, UNIT, chance.randrange(count)).path
    return f"{verb} {file}:{path}" if file else f"{verb} {path}"


def _duplicate(chance: random.Random, log: _Control) -> str | None:
    return _unit(chance, log, "duplicate")


def _drop(chance: random.Random, log: _Control) -> str | None:
    return _unit(chance, log, "drop")


def _extend(chance: random.Random, log: _Control) -> str | None:
    file = chance.choice(sorted(log.files))
    new = chance.randbytes(chance.randrange(1, 65)).hex()
    return f"extend by {new}{f' in {file}' if file else ''}"


def _remove(chance: random.Random, log: _Control) -> str | None:
    names = sorted(name for name in log.files if name)
    return f"remove {chance.choice(names)}" if len(names) > 1 else None


def _position(chance: random.Random, log: _Control) -> tuple[str, int | None]:
    """Return a random file in the form of the operations, and an offset; None if it is empty."""
    file = chance.choice(sorted(log.files))
    data = log.files[file]
    return f" in {file}" if file else "", chance.randrange(len(data)) if data else None


_OPERATIONS = (
    _flip, _set, _truncate, _zero, _flip, _zero_sector, _torn, _swap_sectors, _duplicate, _drop,
    _extend, _remove,
)  # fmt: skip
