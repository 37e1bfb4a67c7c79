"""Replay the damage of a vector on the input of another vector."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.contents import Contents
from conformance.damage.operations import DamagedLog, Edit, apply_edits
from conformance.vectors import Vector


def by_edits(vector: Vector, vectors: Mapping[str, Vector]) -> Contents:
    """Compute the damaged log from the edits alone."""
    log = _undamaged(vector, vectors)
    for operation in vector.damage:
        for edit in operation["edits"]:
            insert = log.bytes_from(edit.get("insert", ""))
            apply_edits(log.files, [Edit(**{**edit, "insert": insert})])
    return log.contents


def by_operations(vector: Vector, vectors: Mapping[str, Vector]) -> Contents:
    """Compute the damaged log from the operations alone."""
    log = _undamaged(vector, vectors)
    for operation in vector.damage:
        log.apply({name: value for name, value in operation.items() if name != "edits"})
    return log.contents


def _undamaged(vector: Vector, vectors: Mapping[str, Vector]) -> DamagedLog:
    source = vectors[str(vector.damaged_id)]
    return DamagedLog(
        source.contents, vector.body["format"], source.input.name, lambda id: vectors[id].contents
    )
