"""Align two lists of records or lost ranges: matching, missing, extra and different items.

``conformance/compare.py`` alone decides whether the lists agree.
"""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import Any, Literal, NamedTuple

from conformance.compare import merged_ranges
from conformance.describe import PAYLOAD, PLACE, Record, payload_difference, payload_key

Kind = Literal["same", "missing", "extra", "different"]
Key = Callable[[Record], Any]
Pair = tuple[Record | None, Record | None]

# Lists of this length are always shown completely.
_SHORT = 6
# difflib compares every record with every other of the same key. Beyond this number of pairs (a log
# with one payload, thousands of times) only the common ends are matched.
_MATCHER_LIMIT = 1_000_000


class Row(NamedTuple):
    """A line of a side-by-side view."""

    kind: Kind
    expected: Record | None
    actual: Record | None
    #: Fields that differ, if the items are `different`.
    fields: tuple[str, ...] = ()
    #: Difference between the payloads.
    note: str = ""


def align_records(expected: Sequence[Record], actual: Sequence[Record]) -> list[Row]:
    """Align the expected records with the actual ones, both in log order."""
    both = [*expected, *actual]
    common = set.intersection(*(set(record) for record in both)) if both else set()
    contents = sorted(common - {*PLACE, *PAYLOAD})

    def content(record: Record) -> Hashable:
        if not contents or any(part in record for part in PAYLOAD):
            return payload_key(record)
        return json.dumps([record[field] for field in contents], sort_keys=True)

    def position(record: Record) -> Hashable:
        return record.get("file"), record["at"]

    if "at" not in common:
        return [_row(*pair) for pair in _align(expected, actual, [content], None)]
    keys = [lambda record: (position(record), content(record)), content, position]
    return [_row(*pair) for pair in _align(expected, actual, keys, lambda record: record["at"])]


def align_lost(expected: Sequence[Record], actual: Sequence[Record]) -> list[Row]:
    """Align expected with reported lost ranges. An unreported reason counts as equal."""
    keys: list[Key] = [
        lambda lost: (lost.get("file"), lost["from"], lost["to"], lost.get("reason")),
        lambda lost: (lost.get("file"), lost["from"], lost["to"]),
        lambda lost: (lost.get("file"), lost["from"]),
        lambda lost: (lost.get("file"), lost["to"]),
        lambda lost: (lost["from"], lost["to"]),
    ]
    pairs = _align(expected, actual, keys, lambda lost: lost["from"])
    has_reasons = any(lost.get("reason") is not None for lost in actual)
    if not has_reasons and merged_ranges(expected) == merged_ranges(actual):
        # The same bytes are the same loss, in any number of ranges.
        return [Row("same", *pair) for pair in pairs]
    return [_row(*pair) for pair in pairs]


def _row(wanted: Record | None, given: Record | None) -> Row:
    if wanted is None:
        return Row("extra", None, given)
    if given is None:
        return Row("missing", wanted, None)
    if "from" in wanted:
        names = [
            name for name in ("file", "from", "to", "reason") if name != "reason" or given.get(name)
        ]
    else:
        names = sorted(wanted.keys() & given.keys() - {*PAYLOAD})
    fields = [name for name in names if wanted.get(name) != given.get(name)]
    note = ""
    if "from" not in wanted and payload_key(wanted) != payload_key(given):
        fields, note = ["payload", *fields], payload_difference(wanted, given)
    return Row("different" if fields else "same", wanted, given, tuple(fields), note)


def _align(
    wanted: Sequence[Record], given: Sequence[Record], keys: Sequence[Key], order: Key | None
) -> list[Pair]:
    """Pair items by the first key. Between two pairs, pair the other items by the next key.

    The items that no key pairs are merged by ``order``. If ``order`` is None, they are paired by
    position.
    """
    if not (wanted and given and keys):
        if order is None:
            return list(zip_longest(wanted, given))
        left, right = [(item, None) for item in wanted], [(None, item) for item in given]
        return list(heapq.merge(left, right, key=lambda pair: order(pair[0] or pair[1] or {})))
    pairs: list[Pair] = []
    i = j = 0
    matches = _matches([*map(keys[0], wanted)], [*map(keys[0], given)])
    for start, other_start, length in [*matches, (len(wanted), len(given), 0)]:
        pairs += _align(wanted[i:start], given[j:other_start], keys[1:], order)
        i, j = start + length, other_start + length
        pairs += zip(wanted[start:i], given[other_start:j], strict=True)
    return pairs


def _matches(wanted: list[Hashable], given: list[Hashable]) -> list[tuple[int, int, int]]:
    """Return matching runs (i, j, length) in order, common ends first to keep difflib small."""
    shorter = min(len(wanted), len(given))
    head = next((n for n in range(shorter) if wanted[n] != given[n]), shorter)
    ends = range(shorter - head)
    back = next((n for n in ends if wanted[-1 - n] != given[-1 - n]), len(ends))
    middle_wanted, middle_given = wanted[head : len(wanted) - back], given[head : len(given) - back]
    runs = [(0, 0, head)]
    often = Counter(middle_given)
    if sum(often[key] for key in middle_wanted) <= _MATCHER_LIMIT:
        matcher = SequenceMatcher(None, middle_wanted, middle_given, autojunk=False)
        runs += [(head + i, head + j, n) for i, j, n in matcher.get_matching_blocks()]
    runs.append((len(wanted) - back, len(given) - back, back))
    return [run for run in runs if run[2]]


def fold(rows: Sequence[Row], limit: int = 40) -> list[list[Row]]:
    """Group the rows into lines. Consecutive `same` rows share a line, unless a difference is near.

    All rows beyond ``limit`` lines share one more line.
    """
    near = {n + step for n, row in enumerate(rows) if row.kind != "same" for step in (-1, 0, 1)}
    if len(rows) <= min(_SHORT, limit):
        near = {*range(len(rows))}
    shown: list[list[Row]] = []
    for is_near, run in groupby(enumerate(rows), key=lambda item: item[0] in near):
        group = [row for _, row in run]
        shown += [[row] for row in group] if is_near else [group]
    rest = [row for group in shown[limit:] for row in group]
    return [*shown[:limit], *([rest] if rest else [])]
