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
#: Number of record boundaries at the end of a file after which a log is truncated.
MAX_EDGES = 4
#: Interval at which the copy of a large log is chosen.
LARGE_INTERVAL = 12

_NUMBER = re.compile(r"\b(?:0x[0-9a-fA-F]+|0|[1-9][0-9]*)\b")
_NAME = re.compile(r"\b[a-z]\w*\b")


@dataclass(frozen=True)
class Aim:
    """Numbers in changed expressions, and the names of the fields in them."""

    numbers: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()


def aim_at(findings: Iterable[Finding]) -> Aim:
    """Return the numbers and names in findings that rest only on expressions."""
    text = " ".join(finding.change for finding in findings if finding.fields)
    numbers = (int(number, 0) for number in _NUMBER.findall(text))
    return Aim(frozenset(n for n in numbers if n <= LARGE_BYTES), frozenset(_NAME.findall(text)))


def aimed(bases: Sequence[LogUnderReview], aim: Aim) -> Iterator[LogUnderReview]:
    """Yield damaged copies of the first undamaged logs, or nothing if ``aim`` has no number.

    A copy is truncated or extended by one byte, or truncated at a given distance after one of the
    last record boundaries, or has one of the named fields changed. The distances and the field
    values are the numbers in ``aim``, and these plus or minus 1.
    """
    if not aim.numbers:
        return
    distances = sorted({number + step for number in aim.numbers for step in (-1, 0, 1)} - {-1})
    for base in [log for log in bases if 0 < size(log.contents) <= LARGE_BYTES][:MAX_LOGS]:
        files = Damage(base.contents, base.format).files
        for file in sorted(name for name, data in files.items() if data):
            length = len(files[file])
            ends = {
                edge + distance
                for edge in edges_of(base, file, length)[-MAX_EDGES:]
                for distance in distances
            }
            for end in sorted(end for end in ends | {length - 1} if 0 <= end < length):
                damage = Damage(base.contents, base.format)
                damage.truncate(end, file)
                yield damaged_copy(base, damage)
            damage = Damage(base.contents, base.format)
            damage.extend(bytes(1), "1 zero", file)
            yield damaged_copy(base, damage)
            for field in _fields(base, file, aim):
                for number in distances:
                    if number < 1 << 8 * (field.end - field.start):
                        damage = Damage(base.contents, base.format)
                        damage.set(f"{file}:{field.path}" if file else field.path, number)
                        yield damaged_copy(base, damage)


def _fields(log: LogUnderReview, file: str, aim: Aim) -> Iterator[Field]:
    """Yield integer fields with one of the names: the first, the middle and the last."""
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
    """Yield ``count`` damaged copies of undamaged logs. Equal seeds give equal copies.

    Most damage affects record boundaries and headers. Logs above :data:`LARGE_BYTES` are slow to
    read, so only one copy in :data:`LARGE_INTERVAL` is of such a log.
    """
    chance = random.Random(seed)
    usable = [log for log in bases if 0 < size(log.contents) <= LARGE_BYTES]
    large = [log for log in bases if size(log.contents) > LARGE_BYTES]
    for number in range(count if usable or large else 0):
        sampled = large and (not usable or number % LARGE_INTERVAL == LARGE_INTERVAL - 1)
        base = (
            large[number // LARGE_INTERVAL % len(large)]
            if sampled
            else usable[number % len(usable)]
        )
        damage = Damage(base.contents, base.format)
        file = chance.choice(sorted(name for name, data in damage.files.items() if data))
        edges = edges_of(base, file, len(damage.files[file]))
        chance.choice(_OPERATIONS)(damage, file, edges, chance)
        yield damaged_copy(base, damage)


def damaged_copy(base: LogUnderReview, damage: Damage) -> LogUnderReview:
    """Return a damaged copy of a log, named after the damage."""
    return LogUnderReview(
        f"{base.name} · {'; '.join(damage.operations)}", base.format, damage.contents,
        base.context, set(base.sides), True, "sweep", base.key, base.file_name,
    )  # fmt: skip


def edges_of(log: LogUnderReview, file: str, length: int) -> list[int]:
    """Return the record boundaries of a file, from the answer of the log's own side."""
    reply: dict[str, Any] = next(iter(log.answers.values()), {})
    records = reply.get("answer", {}).get("records", ())
    edges = {0, length}
    for record in records:
        if record.get("file", "") == file and "at" in record:
            edges |= {int(record["at"]), int(record["at"]) + int(record.get("size", 0))}
    return sorted(edge for edge in edges if edge <= length)


def _near(edges: Sequence[int], length: int, chance: random.Random) -> int:
    """Return an offset in the file: in the first bytes after a boundary, or anywhere."""
    if chance.random() < 0.7:
        return min(chance.choice(edges) + chance.randrange(24), length - 1)
    return chance.randrange(length)


def _flip(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    data = damage.files[file]
    at, bit = _near(edges, len(data), chance), chance.randrange(8)
    data[at] ^= 1 << bit
    damage.did(f"flip bit {bit} of byte {at}{_in(file)}")


def _overwrite(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    data = damage.files[file]
    at, count = _near(edges, len(data), chance), chance.choice((1, 2, 4, 8, 16))
    byte = chance.choice((0, 0, 0xFF, chance.randrange(256)))
    end = min(at + count, len(data))
    data[at:end] = bytes([byte]) * (end - at)
    damage.did(f"fill [{at}, {end}) with {byte:02x}{_in(file)}")


def _truncate(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    damage.truncate(_near(edges, len(damage.files[file]), chance), file)


def _zero_sector(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    damage.zero_sector(chance.randrange((len(damage.files[file]) + 511) // 512), 512, file)


def _extend(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    count = chance.choice((1, 6, 7, 64, 4096))
    if chance.random() < 0.5:
        damage.extend(bytes(count), f"{count} zeros", file)
    else:
        damage.extend(chance.randbytes(count), f"{count} bytes of garbage", file)


def _insert(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    damage.insert(chance.choice(edges), chance.randbytes(chance.choice((1, 4, 12))), None, file)


def _drop(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    """Remove the bytes between two boundaries."""
    start = chance.randrange(len(edges) - 1)
    a, b = edges[start], edges[start + 1]
    del damage.files[file][a:b]
    damage.did(f"drop [{a}, {b}){_in(file)}")


def _repeat(damage: Damage, file: str, edges: Sequence[int], chance: random.Random) -> None:
    start = chance.randrange(len(edges) - 1)
    a, b = edges[start], edges[start + 1]
    damage.files[file][b:b] = damage.files[file][a:b]
    damage.did(f"duplicate [{a}, {b}){_in(file)}")


_OPERATIONS = (
    _flip, _flip, _flip, _overwrite, _overwrite, _truncate, _truncate, _zero_sector, _extend,
    _insert, _drop, _repeat,
)  # fmt: skip


def _in(file: str) -> str:
    return f" in {file}" if file else ""
