"""Align the records of two logs."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from walproof.difference.records import ComparedRecord

#: Numbers of corresponding records, from 0; None if the other log has none.
Pair = tuple[int | None, int | None]
#: Maximum nesting of a comparison by content, because a hostile log can nest without end.
MAX_DEPTH = 50


@dataclass(frozen=True)
class Difference:
    """A record that is only in the first log, only in the second, or differs between them."""

    kind: str
    old: ComparedRecord | None
    new: ComparedRecord | None


def differences(
    old: Sequence[ComparedRecord], new: Sequence[ComparedRecord]
) -> Iterator[Difference]:
    """Yield the differences in log order; equal records are left out."""
    digests = [record.digest for record in old], [record.digest for record in new]
    if all(record.number is not None for log in (old, new) for record in log):
        pairs = _by_number(old, new)
    else:
        pairs = _by_content(*digests)
    for left, right in pairs:
        if left is None and right is not None:
            yield Difference("only in the second", None, new[right])
        elif right is None and left is not None:
            yield Difference("only in the first", old[left], None)
        elif left is not None and right is not None and digests[0][left] != digests[1][right]:
            yield Difference("different", old[left], new[right])


def _by_number(old: Sequence[ComparedRecord], new: Sequence[ComparedRecord]) -> Iterator[Pair]:
    right_of, left_of = (array("q", [-1]) * len(log) for log in (old, new))
    shared = {record.source for record in old} & {record.source for record in new}

    def number(record: ComparedRecord) -> object:
        return (record.source, record.number) if record.source in shared else None

    _pair(old, new, number, right_of, left_of)
    if any(record.moment is not None for record in itertools.islice(old, 1)):
        _pair(old, new, lambda record: (record.moment, record.digest), right_of, left_of)
        _pair(old, new, lambda record: record.moment, right_of, left_of)
    only_new: dict[int, list[int]] = {}
    previous = -1
    for right, left in enumerate(left_of):
        previous = left if left >= 0 else previous
        if left < 0:
            only_new.setdefault(previous, []).append(right)
    for left in range(-1, len(old)):
        if left >= 0:
            yield left, right_of[left] if right_of[left] >= 0 else None
        yield from ((None, right) for right in only_new.get(left, ()))


def _pair(
    old: Sequence[ComparedRecord],
    new: Sequence[ComparedRecord],
    key: Callable[[ComparedRecord], object],
    right_of: array[int],
    left_of: array[int],
) -> None:
    """Pair unpaired records with equal keys, in order. A key of None matches nothing."""
    free: dict[object, list[int]] = {}  # key → unpaired positions in ``new``, the first one last
    for right in range(len(new) - 1, -1, -1):
        if left_of[right] < 0 and (wanted := key(new[right])) is not None:
            free.setdefault(wanted, []).append(right)
    for left, record in enumerate(old):
        if right_of[left] < 0 and (positions := free.get(key(record))):
            right_of[left] = positions.pop()
            left_of[right_of[left]] = left


def _by_content(
    left: Sequence[bytes], right: Sequence[bytes], a: int = 0, c: int = 0, depth: int = 0
) -> Iterator[Pair]:
    """Pair equal records, and records between equal ones by position (a patience diff)."""
    first = 0
    while first < min(len(left), len(right)) and left[first] == right[first]:
        first += 1
    last = 0
    limit = min(len(left), len(right)) - first
    while last < limit and left[-1 - last] == right[-1 - last]:
        last += 1
    yield from ((a + position, c + position) for position in range(first))
    ends = len(left) - last, len(right) - last
    begin = first, first
    anchors = _anchors(left, right, first, ends) if depth < MAX_DEPTH else []
    for anchor in [*anchors, ends]:
        parts = left[begin[0] : anchor[0]], right[begin[1] : anchor[1]]
        places = a + begin[0], c + begin[1]
        if anchors:
            yield from _by_content(*parts, *places, depth + 1)
        else:
            for step in range(max(map(len, parts))):
                yield (
                    places[0] + step if step < len(parts[0]) else None,
                    places[1] + step if step < len(parts[1]) else None,
                )
        begin = anchor
    yield from ((a + ends[0] + step, c + ends[1] + step) for step in range(last))


def _anchors(
    left: Sequence[bytes], right: Sequence[bytes], first: int, stop: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the longest common subsequence of records that occur once in each log."""
    once = _once(left[first : stop[0]]) & _once(right[first : stop[1]])
    positions = {right[n]: n for n in range(first, stop[1]) if right[n] in once}
    pairs = [(n, positions[left[n]]) for n in range(first, stop[0]) if left[n] in once]
    tails: list[int] = []
    back: list[int] = [-1] * len(pairs)
    ends: list[int] = []
    for number, (_, position) in enumerate(pairs):
        pile = bisect_left(ends, position)
        back[number] = tails[pile - 1] if pile else -1
        if pile == len(ends):
            ends.append(position)
            tails.append(number)
        else:
            ends[pile], tails[pile] = position, number
    anchors: list[tuple[int, int]] = []
    number = tails[-1] if tails else -1
    while number >= 0:
        anchors.append(pairs[number])
        number = back[number]
    return anchors[::-1]


def _once(digests: Sequence[bytes]) -> set[bytes]:
    return {digest for digest, count in Counter(digests).items() if count == 1}
