"""Align two lists of records or lost ranges: matching, missing, extra and different items.

``conformance/compare.py`` alone decides whether the lists agree.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from conformance.describe import PAYLOAD, PLACE, Record, payload_difference, payload_key

Kind = Literal["same", "missing", "extra", "different"]
Key = Callable[[Record], Hashable]

# Lists of this length are always shown completely.
_SHORT = 6
# difflib compares every record with every other of the same key. Beyond this number of pairs (a log
# with one payload, thousands of times) only the common ends are matched.
_MATCHER_LIMIT = 1_000_000


@dataclass(frozen=True)
class Row:
    """A line of a side-by-side view."""

    kind: Kind
    #: Index into the expected list.
    expected: int | None
    #: Index into the actual list.
    actual: int | None
    #: Fields that differ, if the items are `different`.
    fields: tuple[str, ...] = ()
    #: Difference between the payloads.
    note: str = ""


@dataclass(frozen=True)
class Fold:
    """A run of hidden lines, with the number of each type."""

    counts: Mapping[Kind, int]


def align_records(expected: Sequence[Record], actual: Sequence[Record]) -> list[Row]:
    """Align the expected records with the actual ones, both in log order."""
    both = [*expected, *actual]
    common = set.intersection(*(set(record) for record in both)) if both else set()
    contents = sorted(common - set(PLACE) - set(PAYLOAD))
    placed = "at" in common

    def content(record: Record) -> Hashable:
        if not contents or any(part in record for part in PAYLOAD):
            return payload_key(record)
        return json.dumps([record[field] for field in contents], sort_keys=True)

    def position(record: Record) -> Hashable:
        return (record.get("file"), record["at"])

    def compare(wanted: Record, given: Record) -> tuple[tuple[str, ...], str]:
        fields, notes = [], []
        if payload_key(wanted) != payload_key(given):
            fields.append("payload")
            notes.append(payload_difference(wanted, given))
        fields += [
            field
            for field in sorted((set(wanted) & set(given)) - set(PAYLOAD))
            if wanted[field] != given[field]
        ]
        return tuple(fields), ", ".join(notes)

    keys: list[Key] = [content]
    if placed:
        keys = [lambda record: (position(record), content(record)), content, position]
    order: Callable[[Record], int] | None = (lambda record: int(record["at"])) if placed else None
    return _align(expected, actual, keys, compare, order)


def align_lost(expected: Sequence[Record], actual: Sequence[Record]) -> list[Row]:
    """Align expected with reported lost ranges. An unreported reason counts as equal."""

    def compare(wanted: Record, given: Record) -> tuple[tuple[str, ...], str]:
        fields = [
            field for field in ("file", "from", "to") if wanted.get(field) != given.get(field)
        ]
        if given.get("reason") is not None and wanted.get("reason") != given["reason"]:
            fields.append("reason")
        return tuple(fields), ""

    keys: list[Key] = [
        lambda lost: (lost.get("file"), lost["from"], lost["to"], lost.get("reason")),
        lambda lost: (lost.get("file"), lost["from"], lost["to"]),
        lambda lost: (lost.get("file"), lost["from"]),
        lambda lost: (lost.get("file"), lost["to"]),
        lambda lost: (lost["from"], lost["to"]),
    ]
    return _align(expected, actual, keys, compare, lambda lost: int(lost["from"]))


def _align(
    expected: Sequence[Record],
    actual: Sequence[Record],
    keys: Sequence[Key],
    compare: Callable[[Record, Record], tuple[tuple[str, ...], str]],
    order: Callable[[Record], int] | None,
) -> list[Row]:
    """Match by the first key, then the rest between two matches by the next key, and so on."""
    rows: list[Row] = []

    def pair(i: int, j: int) -> None:
        fields, note = compare(expected[i], actual[j])
        rows.append(Row("different" if fields else "same", i, j, fields, note))

    def hunk(i0: int, i1: int, j0: int, j1: int, level: int) -> None:
        if i0 == i1 or j0 == j1 or level == len(keys):
            unmatched(i0, i1, j0, j1)
            return
        key = keys[level]
        wanted = [key(record) for record in expected[i0:i1]]
        given = [key(record) for record in actual[j0:j1]]
        i_done, j_done = 0, 0
        for i, j, length in _matches(wanted, given):
            hunk(i0 + i_done, i0 + i, j0 + j_done, j0 + j, level + 1)
            for step in range(length):
                pair(i0 + i + step, j0 + j + step)
            i_done, j_done = i + length, j + length
        hunk(i0 + i_done, i1, j0 + j_done, j1, level + 1)

    def unmatched(i0: int, i1: int, j0: int, j1: int) -> None:
        if order is None:
            # The records have no offsets, so records at the same position are compared.
            both = min(i1 - i0, j1 - j0)
            for step in range(both):
                pair(i0 + step, j0 + step)
            i0, j0 = i0 + both, j0 + both
        while i0 < i1 or j0 < j1:
            first = j0 == j1 or (
                i0 < i1 and (order is None or order(expected[i0]) <= order(actual[j0]))
            )
            if first:
                rows.append(Row("missing", i0, None))
                i0 += 1
            else:
                rows.append(Row("extra", None, j0))
                j0 += 1

    hunk(0, len(expected), 0, len(actual), 0)
    return rows


def _matches(wanted: list[Hashable], given: list[Hashable]) -> list[tuple[int, int, int]]:
    """Return matching runs (i, j, length) in order, common ends first to keep difflib small."""
    shorter = min(len(wanted), len(given))
    head = 0
    while head < shorter and wanted[head] == given[head]:
        head += 1
    back = 0
    while back < shorter - head and wanted[-1 - back] == given[-1 - back]:
        back += 1
    middle_wanted, middle_given = wanted[head : len(wanted) - back], given[head : len(given) - back]
    runs = [(0, 0, head)]
    often = Counter(middle_given)
    if sum(often[key] for key in middle_wanted) <= _MATCHER_LIMIT:
        matcher = SequenceMatcher(None, middle_wanted, middle_given, autojunk=False)
        runs += [(head + i, head + j, n) for i, j, n in matcher.get_matching_blocks()]
    runs.append((len(wanted) - back, len(given) - back, back))
    return [run for run in runs if run[2]]


def counts(rows: Sequence[Row]) -> dict[Kind, int]:
    """Return the number of rows of each type that occurs."""
    result: dict[Kind, int] = {}
    for row in rows:
        result[row.kind] = result.get(row.kind, 0) + 1
    return result


def fold(rows: Sequence[Row], context: int = 1, limit: int = 40) -> list[Row | Fold]:
    """Hide runs of `same` rows, except `context` rows near a difference; show `limit` lines."""
    if len(rows) <= min(_SHORT, limit):
        return [*rows]
    shown: list[Row | Fold] = []
    near = {
        index + step
        for index, row in enumerate(rows)
        if row.kind != "same"
        for step in range(-context, context + 1)
    }
    index = 0
    while index < len(rows):
        if len(shown) >= limit:
            shown.append(Fold(counts(rows[index:])))
            break
        stop = index
        while stop < len(rows) and rows[stop].kind == "same" and stop not in near:
            stop += 1
        # Hiding a single row would not save a line.
        if stop - index > 1:
            shown.append(Fold({"same": stop - index}))
            index = stop
        else:
            shown.append(rows[index])
            index += 1
    return shown
