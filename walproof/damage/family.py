"""Many damaged copies of a log, from a seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from conformance.contents import Contents, digest
from conformance.kaitai.field_map import Field
from walproof.damage.log import LogToDamage
from walproof.damage.operation_text import BadWords, damage

SECTORS = (512, 4096)
ATTEMPTS = 50
"""Operations that are tried for one copy: some change nothing, or do not fit."""


class _Control:
    """What there is to damage in a log; its fields are counted, and none is kept."""

    def __init__(self, log: LogToDamage) -> None:
        self._log = log
        self._counts: dict[str, Counter[str]] = {}

    @property
    def files(self) -> Mapping[str, bytearray]:
        """The bytes of each file."""
        return self._log.files

    def counts(self, file: str) -> Counter[str]:
        """How many fields there are under each name that :func:`_names` gives."""
        if file not in self._counts:
            each = self._log.each_field(file)
            self._counts[file] = Counter(name for field in each for name in _names(field))
        return self._counts[file]

    def one_of(self, file: str, name: str, number: int) -> Field:
        """The field of this number among those under a name."""
        alike = (field for field in self._log.each_field(file) if name in _names(field))
        return next(islice(alike, number, None))


UNIT = "[]"
"""The name of all fields that are elements of something, in :func:`_names`."""


def _names(field: Field) -> Iterator[str]:
    """What a field is counted under: leaves by their name, however often it occurs."""
    if field.end > field.start:
        if field.value is not None:
            yield field.path.rpartition(".")[2].partition("[")[0]
        if field.path.endswith("]"):
            yield UNIT


def family(
    make: Callable[[], LogToDamage], count: int, seed: int
) -> Iterator[tuple[list[str], Contents]]:
    """``count`` times what was done and the damaged log, each different from all others.

    One operation each, of every kind in turn. There are fewer if the log is too small for as many.
    """
    chance = random.Random(seed)
    control = _Control(make())
    seen = {digest(make().contents)}
    kinds = list(_KINDS)
    for number in range(count):
        for attempt in range(ATTEMPTS):
            words = kinds[(number + attempt) % len(kinds)](chance, control)
            if words is None:
                continue
            log = make()
            try:
                damage(log, words)
            except BadWords:
                continue
            mark = digest(log.contents)
            if mark not in seen:
                seen.add(mark)
                yield log.operations, log.contents
                break
        else:
            return


def _leaf(chance: random.Random, log: _Control) -> tuple[str, Field] | None:
    """A field without fields of its own: all names alike, however often they occur."""
    file = chance.choice(sorted(log.files))
    counts = log.counts(file)
    names = sorted(name for name in counts if name != UNIT)
    if not names:
        return None
    name = chance.choice(names)
    leaf = log.one_of(file, name, chance.randrange(counts[name]))
    return f"{file}:{leaf.path}" if file else leaf.path, leaf


def _flip(chance: random.Random, log: _Control) -> str | None:
    if (found := _leaf(chance, log)) is None:
        file, at = _place(chance, log)
        return f"flip bit {chance.randrange(8)} of byte {at}{file}" if at is not None else None
    path, leaf = found
    return f"flip bit {chance.randrange(8 * (leaf.end - leaf.start))} of {path}"


def _set(chance: random.Random, log: _Control) -> str | None:
    if (found := _leaf(chance, log)) is None or not isinstance(found[1].value, int):
        return None
    path, leaf = found
    most = (1 << 8 * (leaf.end - leaf.start)) - 1
    values = (0, 1, most, most >> 1, (leaf.value + 1) % (most + 1), (leaf.value - 1) % (most + 1))  # type: ignore[operator]
    return f"set {path} to {chance.choice(values)}"


def _zero(chance: random.Random, log: _Control) -> str | None:
    found = _leaf(chance, log)
    return f"zero {found[0]}" if found else None


def _truncate(chance: random.Random, log: _Control) -> str | None:
    file, at = _place(chance, log)
    return f"truncate at {at}{file}" if at is not None else None


def _zero_sector(chance: random.Random, log: _Control) -> str | None:
    file, at = _place(chance, log)
    sector = chance.choice(SECTORS)
    return f"zero sector {at // sector} of {sector} bytes{file}" if at is not None else None


def _torn(chance: random.Random, log: _Control) -> str | None:
    file, at = _place(chance, log)
    if at is None:
        return None
    return f"torn at the last boundary of {chance.choice(SECTORS)} bytes{file}"


def _swap_sectors(chance: random.Random, log: _Control) -> str | None:
    file, at = _place(chance, log)
    whole = len(log.files[file.removeprefix(" in ")]) // 512
    if at is None or whole < 2:
        return None
    one, other = chance.sample(range(whole), 2)
    return f"swap sectors {one} and {other} of 512 bytes{file}"


def _unit(chance: random.Random, log: _Control, verb: str) -> str | None:
    file = chance.choice(sorted(log.files))
    if not (count := log.counts(file)[UNIT]):
        return None
    path = log.one_of(file, UNIT, chance.randrange(count)).path
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


def _place(chance: random.Random, log: _Control) -> tuple[str, int | None]:
    """A file as operations name it, and an offset in it; None where it has no bytes."""
    file = chance.choice(sorted(log.files))
    data = log.files[file]
    return f" in {file}" if file else "", chance.randrange(len(data)) if data else None


_KINDS = (
    _flip, _set, _truncate, _zero, _flip, _zero_sector, _torn, _swap_sectors, _duplicate, _drop,
    _extend, _remove,
)  # fmt: skip
