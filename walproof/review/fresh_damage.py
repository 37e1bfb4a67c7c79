"""Damage intact logs at random, and at values that occur in changed expressions.

Random damage rarely produces the one length for which ``>= 17`` and ``>= 16`` differ.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.contents import size
from conformance.kaitai.field_map import Field, ParseStopped
from conformance.recipes.algebra import Damage
from walproof.review.finding import Finding
from walproof.review.logs import LARGE_BYTES, LogUnderReview

#: Maximum number of intact logs with aimed damage.
MAX_LOGS = 8
#: Number of record boundaries, counted from the end of a file, after which a log is truncated.
MAX_EDGES = 4

_NUMBER = re.compile(r"\b(?:0x[0-9a-fA-F]+|0|[1-9][0-9]*)\b")
_NAME = re.compile(r"\b[a-z]\w*\b")
_OPERATIONS = (
    "flip", "flip", "flip", "fill", "fill", "truncate", "truncate", "extend", "insert", "drop",
    "repeat",
)  # fmt: skip


@dataclass(frozen=True)
class Aim:
    """The numbers in changed expressions, and the names in these expressions."""

    numbers: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()


def aim_at(findings: Iterable[Finding]) -> Aim:
    """Return the numbers and names in the findings that depend only on expressions."""
    text = " ".join(finding.change for finding in findings if finding.fields)
    numbers = (int(number, 0) for number in _NUMBER.findall(text))
    return Aim(frozenset(n for n in numbers if n <= LARGE_BYTES), frozenset(_NAME.findall(text)))


def aimed(bases: Sequence[LogUnderReview], aim: Aim) -> Iterator[LogUnderReview]:
    """Yield damaged copies of the first undamaged logs with values near the numbers in ``aim``."""
    if not aim.numbers:
        return
    distances = sorted({number + step for number in aim.numbers for step in (-1, 0, 1)} - {-1})
    for base in [log for log in bases if 0 < size(log.contents) <= LARGE_BYTES][:MAX_LOGS]:
        files = Damage(base.contents, base.format).files
        for file, length in sorted((name, len(data)) for name, data in files.items() if data):
            edges = edges_of(base, file, length)[-MAX_EDGES:]
            ends = {edge + distance for edge in edges for distance in distances} | {length - 1}
            for end in sorted(end for end in ends if 0 <= end < length):
                yield damaged_copy(base, "truncate", end, file)
            yield damaged_copy(base, "extend", bytes(1), "1 zero", file)
            for field in _fields(base, file, aim):
                path = f"{file}:{field.path}" if file else field.path
                for number in distances:
                    if number < 1 << 8 * (field.end - field.start):
                        yield damaged_copy(base, "set", path, number)


def _fields(log: LogUnderReview, file: str, aim: Aim) -> Iterator[Field]:
    """Yield the first, the middle and the last integer field for each name in ``aim``."""
    try:
        all_fields = Damage(log.contents, log.format).fields_of(file)
    except ParseStopped:
        return
    for name in sorted(aim.names):
        numbers = [
            field
            for field in all_fields
            if field.path.rpartition(".")[2] == name and field.end - field.start in (1, 2, 4, 8)
        ]
        middle = len(numbers) // 2
        yield from dict.fromkeys([*numbers[:1], *numbers[middle : middle + 1], *numbers[-1:]])


def sweep(bases: Sequence[LogUnderReview], count: int, seed: int) -> Iterator[LogUnderReview]:
    """Yield ``count`` damaged copies of undamaged logs. Equal seeds give equal copies."""
    chance = random.Random(seed)
    usable = [log for log in bases if 0 < size(log.contents) <= LARGE_BYTES]
    for number in range(count if usable else 0):
        base = usable[number % len(usable)]
        damage = Damage(base.contents, base.format)
        _damage(base, damage, chance)
        yield _copy(base, damage)


def _damage(base: LogUnderReview, damage: Damage, chance: random.Random) -> None:
    file = chance.choice(sorted(name for name, data in damage.files.items() if data))
    data = damage.files[file]
    edges = edges_of(base, file, len(data))
    near = chance.random() < 0.7
    at = chance.choice(edges) + chance.randrange(24) if near else chance.randrange(len(data))
    at = min(at, len(data) - 1)
    number = chance.randrange(len(edges) - 1)
    start, end = edges[number], edges[number + 1]
    count = chance.choice((1, 2, 4, 8, 16))
    suffix = f" in {file}" if file else ""
    match chance.choice(_OPERATIONS):
        case "flip":
            damage.flip_byte(at, chance.randrange(8), file)
        case "fill":
            byte = chance.choice((0, 0, 0xFF, chance.randrange(256)))
            end = min(at + count, len(data))
            data[at:end] = bytes([byte]) * (end - at)
            damage.did(f"fill [{at}, {end}) with {byte:02x}{suffix}")
        case "truncate":
            damage.truncate(at, file)
        case "extend":
            count = chance.choice((1, 6, 7, 64, 4096))
            is_zero = chance.random() < 0.5
            new = bytes(count) if is_zero else chance.randbytes(count)
            damage.extend(new, f"{count} {'zeros' if is_zero else 'bytes of garbage'}", file)
        case "insert":
            damage.insert(chance.choice(edges), chance.randbytes(count), None, file)
        case "drop":
            del data[start:end]
            damage.did(f"drop [{start}, {end}){suffix}")
        case "repeat":
            data[end:end] = data[start:end]
            damage.did(f"duplicate [{start}, {end}){suffix}")


def damaged_copy(base: LogUnderReview, operation: str, *arguments: Any) -> LogUnderReview:
    """Return a copy of a log after an operation of the damage algebra."""
    damage = Damage(base.contents, base.format)
    getattr(damage, operation)(*arguments)
    return _copy(base, damage)


def _copy(base: LogUnderReview, damage: Damage) -> LogUnderReview:
    return LogUnderReview(
        f"{base.name} · {'; '.join(damage.operations)}", base.format, damage.contents,
        base.context, set(base.sides), True, base.key, base.file_name,
    )  # fmt: skip


def edges_of(log: LogUnderReview, file: str, length: int) -> list[int]:
    """Return the record boundaries of a file according to the log's own side."""
    # Not the first reply, because the readers of both sides run at the same time.
    reply: dict[str, Any] = log.answers.get(min(log.sides), {})
    records = reply.get("answer", {}).get("records", ())
    edges = {0, length}
    for record in records:
        if record.get("file", "") == file and "at" in record:
            edges |= {int(record["at"]), int(record["at"]) + int(record.get("size", 0))}
    return sorted(edge for edge in edges if edge <= length)
