"""Which records of two logs correspond."""

from __future__ import annotations

import itertools
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from walproof.difference.records import Seen

Pair = tuple[int | None, int | None]
"""Numbers of records that correspond, from 0; None where the other log has none."""
LARGEST = 20_000
"""Records between two common stretches that are compared each with each."""


@dataclass(frozen=True)
class Difference:
    """Records that differ: only in the first log, only in the second, or changed between them."""

    kind: str
    old: Seen | None
    new: Seen | None


def differences(old: Sequence[Seen], new: Sequence[Seen]) -> Iterator[Difference]:
    """What differs, in the order of the logs. Records that both have, and say the same, are left
    out."""
    digests = [one.digest for one in old], [one.digest for one in new]
    if all(one.number is not None for log in (old, new) for one in log):
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


def _by_number(old: Sequence[Seen], new: Sequence[Seen]) -> Iterator[Pair]:
    """Records with one number correspond if their numbers have one source.

    The numbers of a copy may have another source. Its records correspond to those of the same
    moment, first to those with the same content. Of several that fit, the first corresponds to
    the first. What only the second log has stands after what comes before it there.
    """
    rights, left_of = (array("q", [-1]) * len(log) for log in (old, new))
    shared = {one.source for one in old} & {one.source for one in new}

    def number(one: Seen) -> object:
        return (one.source, one.number) if one.source in shared else None

    _pair(old, new, number, rights, left_of)
    if any(one.moment is not None for one in itertools.islice(old, 1)):
        _pair(old, new, lambda one: (one.moment, one.digest), rights, left_of)
        _pair(old, new, lambda one: one.moment, rights, left_of)
    alone: dict[int, list[int]] = {}
    before = -1
    for right, left in enumerate(left_of):
        before = left if left >= 0 else before
        if left < 0:
            alone.setdefault(before, []).append(right)
    for left in range(-1, len(old)):
        if left >= 0:
            yield left, rights[left] if rights[left] >= 0 else None
        yield from ((None, right) for right in alone.get(left, ()))


def _pair(
    old: Sequence[Seen],
    new: Sequence[Seen],
    key: Callable[[Seen], object],
    rights: array[int],
    left_of: array[int],
) -> None:
    """Pair the records that have no partner yet and one key; those whose key is None stay alone.

    ``rights`` and ``left_of`` have the partner of each record, -1 for none.
    """
    first: dict[object, int] = {}  # key → the first place in ``new`` that is not taken
    last: dict[object, int] = {}
    after = array("q", [-1]) * len(new)  # the next place with the same key
    for place, one in enumerate(new):
        if left_of[place] >= 0 or (of_one := key(one)) is None:
            continue
        if of_one in last:
            after[last[of_one]] = place
        else:
            first[of_one] = place
        last[of_one] = place
    del last
    for left, one in enumerate(old):
        if not first:
            return
        if rights[left] < 0 and (right := first.get(key(one), -1)) >= 0:
            rights[left], left_of[right] = right, left
            first[key(one)] = after[right]


def _by_content(left: Sequence[bytes], right: Sequence[bytes]) -> Iterator[Pair]:
    """The longest common order. Between two common stretches, what stands at one place differs."""
    first = 0
    while first < min(len(left), len(right)) and left[first] == right[first]:
        first += 1
    last = 0
    most = min(len(left), len(right)) - first
    while last < most and left[-1 - last] == right[-1 - last]:
        last += 1
    yield from ((place, place) for place in range(first))
    ends = len(left) - last, len(right) - last
    for a, b, c, d in _operations(left[first : ends[0]], right[first : ends[1]]):
        for step in range(max(b - a, d - c)):
            one = first + a + step if a + step < b else None
            other = first + c + step if c + step < d else None
            yield one, other
    yield from ((ends[0] + place, ends[1] + place) for place in range(last))


def _operations(
    left: Sequence[bytes], right: Sequence[bytes]
) -> Iterator[tuple[int, int, int, int]]:
    """Stretches ``[a, b)`` and ``[c, d)`` that correspond, record by record as far as they reach.

    Beyond ``LARGEST`` records, those that occur once in both part the logs.
    """
    if len(left) <= LARGEST and len(right) <= LARGEST:
        yield from _matched(left, right, 0, 0)
        return
    a = c = 0
    for b, d in [*_anchors(left, right), (len(left), len(right))]:
        if b - a <= LARGEST and d - c <= LARGEST:
            yield from _matched(left[a:b], right[c:d], a, c)
        else:  # nothing in so long a stretch occurs once in both: what stands at one place differs
            yield a, b, c, d
        yield b, min(b + 1, len(left)), d, min(d + 1, len(right))
        a, c = b + 1, d + 1


def _matched(
    left: Sequence[bytes], right: Sequence[bytes], a: int, c: int
) -> Iterator[tuple[int, int, int, int]]:
    for _, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        yield a + i1, a + i2, c + j1, c + j2


def _anchors(left: Sequence[bytes], right: Sequence[bytes]) -> list[tuple[int, int]]:
    """Records that each log has once, in an order that both have: the longest such, by patience."""
    once = _once(left) & _once(right)
    places = {digest: n for n, digest in enumerate(right) if digest in once}
    pairs = [(n, places[digest]) for n, digest in enumerate(left) if digest in once]
    tails: list[int] = []
    back: list[int] = [-1] * len(pairs)
    ends: list[int] = []
    for number, (_, place) in enumerate(pairs):
        pile = bisect_left(ends, place)
        back[number] = tails[pile - 1] if pile else -1
        if pile == len(ends):
            ends.append(place)
            tails.append(number)
        else:
            ends[pile], tails[pile] = place, number
    found: list[tuple[int, int]] = []
    number = tails[-1] if tails else -1
    while number >= 0:
        found.append(pairs[number])
        number = back[number]
    return found[::-1]


def _once(digests: Sequence[bytes]) -> set[bytes]:
    return {digest for digest, count in Counter(digests).items() if count == 1}
