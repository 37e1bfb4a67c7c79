"""Where the fields of a file are, carried along as the file changes.

Looking them up by the grammar takes milliseconds, and a fuzzer changes a file thousands of times
a second. So the places are looked up where a file is met for the first time; what lies before or
after a change keeps its name, and what lies across it loses it.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from conformance.kaitai.field_map import ParseStopped, iter_fields
from walproof.sweep.fields import generic

MAPPED = 64 << 10
"""Bytes of the largest file whose fields are looked up."""

MOST = 4000
"""Fields of a file that are kept."""

KEPT = 2048
"""Files whose places are kept."""


class Place(NamedTuple):
    """One field: its path, its bytes, its generic name; ``leaf`` if it has no fields of its own."""

    path: str
    start: int
    end: int
    name: str
    leaf: bool


Places = tuple[Place, ...]


class Known:
    """The places of the files that were met, by their bytes."""

    def __init__(self, format: str) -> None:
        self.format = format
        self._kept: OrderedDict[tuple[str, bytes], Places] = OrderedDict()

    def of(self, data: bytes, name: str) -> Places:
        """The places of a file of this name; none for a large one that was not met yet."""
        key = (name.rpartition(".")[2], data)
        if (found := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return found
        found = tuple(_looked_up(data, self.format, name)) if len(data) <= MAPPED else ()
        self._keep(key, found)
        return found

    def carried(self, before: bytes, after: bytes, name: str) -> None:
        """Enter the places of a file that was made from another one."""
        suffix = name.rpartition(".")[2]
        known = self._kept.get((suffix, before))
        if known is not None and (suffix, after) not in self._kept:
            self._keep((suffix, after), moved(known, before, after))

    def _keep(self, key: tuple[str, bytes], found: Places) -> None:
        self._kept[key] = found
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)


def moved(places: Places, before: bytes, after: bytes) -> Places:
    """The places in ``after`` of what both files begin with, and of what they end with."""
    if len(before) == len(after):
        return places
    shared = min(len(before), len(after))
    head = _alike(shared, lambda n: before[:n] == after[:n])
    tail = _alike(shared - head, lambda n: before[len(before) - n :] == after[len(after) - n :])
    step, rest = len(after) - len(before), len(before) - tail
    return tuple(
        one if one.end <= head else one._replace(start=one.start + step, end=one.end + step)
        for one in places
        if one.end <= head or one.start >= rest
    )


def _alike(most: int, is_alike: Callable[[int], bool]) -> int:
    """The largest number up to ``most`` for which something holds that holds for all below it."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if is_alike(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _looked_up(data: bytes, format: str, name: str) -> Iterator[Place]:
    """The fields by the grammar; where it stops, those that were read."""
    spans: set[tuple[int, int, bool]] = set()
    with contextlib.suppress(ParseStopped):
        for field in iter_fields(data, format, name):
            leaf = field.value is not None
            span = (field.start, field.end, leaf)
            if not field.start < field.end <= len(data) or span in spans:
                continue
            spans.add(span)
            yield Place(field.path, field.start, field.end, generic(field.path), leaf)
            if len(spans) >= MOST:
                return
