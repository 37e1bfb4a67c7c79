"""Find the checksums that a grammar declares, the bytes they cover, and their correct values.

A type declares its checksum with ``-checksum`` (ksy/README.md). Each algorithm has a name and one
function here.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any, Literal, Protocol

from crc32c import crc32c
from kaitaistruct import KaitaiStruct

from reference_impl.leveldb_log.layout import masked_crc
from reference_impl.register import registers

ByteOrder = Literal["little", "big"]


class LogBytes(Protocol):
    """The bytes of a log, in memory or in a file."""

    def __getitem__(self, part: slice, /) -> bytes: ...


@dataclass(frozen=True)
class ChecksumRule:
    """A ``-checksum`` key in a grammar. All paths begin at the type that contains it."""

    algorithm: str
    #: Paths of the fields that store the checksum.
    fields: tuple[str, ...]
    #: Paths of the first and the last field of each covered range. The first field may be absent.
    ranges: tuple[tuple[str, str], ...]
    #: Paths of conditions. If one of them is true, the stored value is not a checksum.
    unless: tuple[str, ...]
    #: Lower stored values are not checksums. None if every value is a checksum.
    least: int | None
    byte_order: ByteOrder

    @classmethod
    def parse(cls, body: Mapping[str, Any], byte_order: ByteOrder) -> ChecksumRule:
        """Parse the ``-checksum`` of a grammar that has this byte order."""
        ranges = (covered.partition(" to ") for covered in _listed(body["covers"]))
        return cls(
            body["algorithm"],
            _listed(body["field"]),
            tuple((first, last or first) for first, _, last in ranges),
            _listed(body.get("unless", ())),
            body.get("least"),
            byte_order,
        )


@dataclass(frozen=True)
class Checksum:
    """The checksum of the unit ``[start, end)`` in a log.

    All offsets count from the log's start.
    """

    algorithm: str
    start: int
    end: int
    #: Paths of the fields that store the checksum. ``spans`` and ``stored`` have their offsets and
    #: values.
    paths: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    stored: tuple[int, ...]
    #: Byte ranges that the checksum covers.
    covered: tuple[tuple[int, int], ...]
    byte_order: ByteOrder
    #: False if the stored value is not a checksum of these bytes, as in a truncated unit.
    applies: bool
    #: The stored checksum that this checksum continues, or None.
    before: int | None = None

    def expected(self, log: LogBytes) -> tuple[int, ...] | None:
        """Return the value for each stored field, or None if the log does not determine it.

        A log does not determine the values if it was truncated after it was parsed.
        """
        data = b"".join(log[start:end] for start, end in self.covered)
        if len(data) < sum(end - start for start, end in self.covered):
            return None
        if self.algorithm == CONTINUED:
            return None if self.before is None else (crc32c(data, self.before),)
        return algorithm_named(self.algorithm)(log, self.start, self.end, data)

    def edits(self, log: LogBytes) -> list[tuple[int, int, bytes]]:
        """Return the ranges that store the checksum, each with the bytes of a correct checksum."""
        values = zip(self.spans, self.expected(log) or self.stored, strict=True)
        if self.algorithm == CONTINUED:
            return [(a, b, _varint(value, b - a)) for (a, b), value in values]
        return [(a, b, value.to_bytes(b - a, self.byte_order)) for (a, b), value in values]

    def matches(self, log: LogBytes) -> bool | None:
        """Return whether the stored checksum is correct, or None if that cannot be checked."""
        expected = self.expected(log) if self.applies else None
        return None if expected is None else expected == self.stored


def checksum_of(
    rule: ChecksumRule, unit: KaitaiStruct, path: str, base: int, start: int, end: int
) -> Checksum | None:
    """Return the checksum of a parsed unit. Its stream begins at offset ``base`` of the log.

    Return None if the unit does not have a field that the rule needs.
    """
    stored = [_field(unit, name, base) for name in rule.fields]
    ends = [(_field(unit, a, base), _field(unit, b, base)) for a, b in rule.ranges]
    covered = [(first or last, last) for first, last in ends]
    if None in stored or any(None in pair for pair in covered):
        return None
    values = tuple(value % (1 << 8 * (b - a)) for a, b, value in stored if value is not None)
    is_checksum = rule.least is None or all(value >= rule.least for _, _, value in stored)
    return Checksum(
        rule.algorithm,
        start,
        end,
        tuple(f"{path}.{name}" for name in rule.fields),
        tuple((a, b) for a, b, _ in stored),
        values,
        tuple((first[0], last[1]) for first, last in covered),
        rule.byte_order,
        is_checksum and not any(_value(unit, name) for name in rule.unless),
        _before(unit, path, rule.fields[0]) if rule.algorithm == CONTINUED else None,
    )


def labels_of(
    names: Sequence[str], rule: ChecksumRule | None, unit: KaitaiStruct
) -> tuple[str, ...]:
    """Return the labels of a parsed type: the names of enum members and of true conditions."""
    labels = _labels(unit, (*names, *(rule.unless if rule else ())))
    return tuple(dict.fromkeys(labels))


def _labels(unit: KaitaiStruct, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        value = _value(unit, name)
        if isinstance(value, Enum):
            yield value.name.replace("_", " ")
        elif isinstance(value, bool):
            if value:
                yield name.rpartition(".")[2].removeprefix("is_").replace("_", " ")
        elif value is not None:
            yield f"{name.rpartition('.')[2]} {value}"


def _value(unit: Any, path: str) -> Any:
    for name in path.split("."):
        unit = getattr(unit, name, None)
    return unit


def _field(unit: Any, path: str, base: int) -> Any:
    """Return the bounds and the value of a field inside a unit; None if the field is absent."""
    *outer, name = path.split(".")
    for step in outer:
        span, inner = unit._debug.get(step, {}), getattr(unit, step, None)
        if inner is None or "start" not in span:
            return None
        base += span["start"] if inner._io is not unit._io else 0
        unit = inner
    span = unit._debug.get(name, {})
    if "end" not in span:
        return None
    value = getattr(unit, name)
    # A reader uses only the low 32 bits of a varint (ETW-005).
    if isinstance(value, KaitaiStruct) and hasattr(value, "groups"):
        value = value.value & 0xFFFFFFFF
    return base + span["start"], base + span["end"], value


def _before(unit: KaitaiStruct, path: str, name: str) -> int | None:
    """Return the checksum in the element before the array element ``path``, if there is one."""
    array, _, number = path.rpartition("[")
    elements = getattr(unit._parent, array.rpartition(".")[2])
    before = int(number[:-1]) - 1
    return _value(elements[before], f"{name}.value") if before >= 0 else None


def _varint(number: int, size: int) -> bytes:
    """Return a varint of this size, without the bits that do not fit."""
    groups = [number >> 7 * step & 0x7F for step in range(size)]
    return bytes([0x80 | group for group in groups[:-1]] + groups[-1:])


def _listed(written: str | Sequence[str]) -> tuple[str, ...]:
    return (written,) if isinstance(written, str) else tuple(written)


#: A function that computes the stored values of a unit from the log, the bounds of the unit, and
#: the covered bytes. It returns None if the log does not determine the values.
Algorithm = Callable[[LogBytes, int, int, bytes], tuple[int, ...] | None]

#: This algorithm is a CRC-32C that is stored as a varint. It starts with the checksum of the
#: previous element.
CONTINUED = "continued-crc-32c"
#: Algorithms that need only the covered bytes, by name.
PLAIN_ALGORITHMS: Mapping[str, Callable[[bytes], int]] = {
    "crc-32c": crc32c,
    "masked-crc-32c": masked_crc,
    "adler-32": zlib.adler32,
}


@cache
def algorithm_named(name: str) -> Algorithm:
    """Return an algorithm. A name that begins with a format id belongs to that format.

    Raises ``KeyError`` for an unknown name.
    """
    if name == CONTINUED:
        return lambda log, start, end, data: None
    if name in PLAIN_ALGORITHMS:
        plain = PLAIN_ALGORITHMS[name]
        return lambda log, start, end, data: (plain(data),)
    for register in registers().values():
        if name.startswith(f"{register.id}-"):
            module = import_module(f"reference_impl.{register.module}.checksums")
            algorithm: Algorithm = module.CHECKSUMS[name]
            return algorithm
    raise KeyError(name)
