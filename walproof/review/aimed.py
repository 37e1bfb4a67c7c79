"""Damage aimed at what has changed: the numbers and names in expressions that are others now.

A sweep at random seldom makes the one length at which ``>= 17`` and ``>= 16`` part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.contents import size
from conformance.kaitai.field_map import Field, ParseStopped
from conformance.recipes.algebra import Damage
from walproof.review.finding import Finding
from walproof.review.logs import LARGEST, LogUnderReview, damaged_copy, edges_of

BASES = 8
"""Undamaged logs that are damaged so."""
EDGES = 4
"""Ends of records, the last ones of a file, after which a log is made to end."""
PLACES = 3
"""Fields of one name, in one file, that are set to a number."""

_NUMBER = re.compile(r"\b(?:0x[0-9a-fA-F]+|0|[1-9][0-9]*)\b")
_NAME = re.compile(r"\b[a-z]\w*\b")


@dataclass(frozen=True)
class Aim:
    """The numbers in changed expressions, and the names of fields that they are compared with."""

    numbers: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()


def aim_at(findings: Iterable[Finding]) -> Aim:
    """What to aim at: findings that rest on expressions alone say how they were written."""
    said = " ".join(finding.change for finding in findings if finding.fields)
    numbers = (int(number, 0) for number in _NUMBER.findall(said))
    return Aim(frozenset(n for n in numbers if n <= LARGEST), frozenset(_NAME.findall(said)))


def aimed(bases: Sequence[LogUnderReview], aim: Aim) -> Iterator[LogUnderReview]:
    """Damaged copies of the first undamaged logs; none if there is no number to aim at.

    Each ends at a number of an expression, or a byte less or more, after the last edges of its
    records, or a byte before or after its own end; or has a field of a name in an expression that
    is such a number, or one less or more.
    """
    if not aim.numbers:
        return
    near = sorted({number + off for number in aim.numbers for off in (-1, 0, 1)} - {-1})
    for base in [log for log in bases if 0 < size(log.contents) <= LARGEST][:BASES]:
        files = Damage(base.contents, base.format).files
        for file in sorted(name for name, data in files.items() if data):
            length = len(files[file])
            ends = {edge + one for edge in edges_of(base, file, length)[-EDGES:] for one in near}
            for end in sorted(end for end in ends | {length - 1} if 0 <= end < length):
                damage = Damage(base.contents, base.format)
                damage.truncate(end, file)
                yield damaged_copy(base, damage)
            damage = Damage(base.contents, base.format)
            damage.extend(bytes(1), "a zero", file)
            yield damaged_copy(base, damage)
            for field in _fields(base, file, aim):
                for number in near:
                    if number < 1 << 8 * (field.end - field.start):
                        damage = Damage(base.contents, base.format)
                        damage.set(f"{file}:{field.path}" if file else field.path, number)
                        yield damaged_copy(base, damage)


def _fields(log: LogUnderReview, file: str, aim: Aim) -> Iterator[Field]:
    """Whole numbers whose names stand in an expression: the first, the middle and the last."""
    try:
        found = Damage(log.contents, log.format).fields_of(file)
    except ParseStopped:
        return
    for name in sorted(aim.names):
        numbers = [
            field
            for field in found
            if field.path.rpartition(".")[2] == name and field.end - field.start in (1, 2, 4, 8)
        ]
        middle = len(numbers) // 2
        yield from dict.fromkeys([*numbers[:1], *numbers[middle : middle + 1], *numbers[-1:]])
