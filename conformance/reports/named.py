"""Name the fields in which a result differs, only for the results that are shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.cases import log_after, prefix_length
from conformance.field_names import FieldNames
from conformance.vectors import Vector

from .side_by_side import Place, lines, reported
from .summary import Failure

# The maximal number of named ranges of one result.
NAMED = 8

# Offsets in differences of a write or an append: ``cases.py`` and ``postconditions.py``.
_AT = re.compile(
    r"(?:(?P<file>[^\s:;]+): )?bytes: expected \d+, found \d+; at offset (?P<offset>\d+)"
    r"|(?P<named>[^\s:,]+) at (?P<at>\d+): expected (?P<hex>[0-9a-f]{2}(?: [0-9a-f]{2})*)"
)


def name_fields(failures: Iterable[Failure], vectors: Mapping[str, Vector]) -> None:
    """Add ``fields`` to each result: the names of the differing ranges, if the grammar has names.

    For a write or an append, the ranges are those of the expected log.
    """
    for implementation, result in failures:
        vector = vectors.get(result["vector"])
        ranges = _paths_of(implementation, result) if vector else ()
        if vector is None or not ranges:
            continue
        names = _names(vector, result, vectors)
        fields = [
            {"from": range.start, "to": range.stop, "name": name}
            | ({"file": range.file} if range.file else {})
            for range in ranges[:NAMED]
            if (name := names.of(range.start, range.stop, range.file))
        ]
        if fields:
            result["fields"] = fields  # type: ignore[index]


def _paths_of(implementation: Mapping[str, Any], result: Mapping[str, Any]) -> Sequence[Place]:
    """Return the differing ranges without duplicates."""
    expected, actual = result.get("expected"), reported(implementation, result)
    # The last lines first: lost ranges are harder to see than the offsets of records.
    ranges = [range for line in reversed(lines(expected, actual)) for range in line.ranges]
    for match in _AT.finditer(result.get("difference") or ""):
        if match["offset"]:
            ranges.append(Place(match["file"], int(match["offset"]), int(match["offset"]) + 1))
        else:
            at, length = int(match["at"]), len(match["hex"].split())
            ranges.append(Place(match["named"].partition("/")[2] or None, at, at + length))
    # Last, the correctly lost ranges, which are the subject of the vector.
    correct = (expected or {}).get("lost", ())
    ranges += [Place(lost.get("file"), lost["from"], lost["to"]) for lost in correct]
    return list(dict.fromkeys(ranges))


def _names(vector: Vector, result: Mapping[str, Any], vectors: Mapping[str, Vector]) -> FieldNames:
    contents, prefix = vector.contents, prefix_length(result.get("difference") or "")
    if prefix is not None and isinstance(contents, bytes):
        contents = contents[:prefix]
    if result["profile"] == "append":
        contents = log_after(vector)
    format, name = str(vector.body["format"]), vector.input.name
    control = vectors.get(vector.control or "")
    sound = None
    if control is not None and result["profile"] != "append":
        sound = FieldNames(control.contents, format, name)
    return FieldNames(contents, format, name, sound)
