"""Confirm fresh variants with a second reader that shares no code with the first.

Golden vectors are confirmed by tests. Fresh variants are generated during the run, so they are
confirmed in the same run. The second reader also reads the result of a write or an append.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from conformance.cases import Case, cases_of
from conformance.contents import Contents, read_contents, write_contents
from conformance.recipes.fresh import Fresh
from conformance.registry import FOLDER, load
from conformance.runner import run_subjects
from conformance.subject import Subject, subject_of
from conformance.vectors import Vector
from reference_impl.answer import NewRecord
from reference_impl.formats import named

SECOND_READER = "kaitai-python"
# The second reader is checked for its answer, not for its speed.
PATIENCE_MS = 20_000


def confirm(fresh: Fresh, jobs: int = 2, progress: Callable[[], None] = lambda: None) -> Fresh:
    """Replace vectors by their variants if the second reader confirms the variants.

    If the second reader is not available, all variants are accepted.
    """
    reader = subject_of(load(FOLDER / SECOND_READER), "walproof")
    if reader.unavailable is not None:
        return fresh
    wrong = set(_not_passed(reader, list(fresh.variants.values()), jobs, progress))
    confirmed = {id: vector for id, vector in fresh.variants.items() if id not in wrong}
    golden = sorted({*fresh.as_golden, *wrong})
    return replace(
        fresh, variants=confirmed, as_golden=golden, by=SECOND_READER, unconfirmed=sorted(wrong)
    )


def _not_passed(
    reader: Subject, vectors: Sequence[Vector], jobs: int, progress: Callable[[], None]
) -> list[str]:
    patient = [
        Vector(each.path, {**each.body, "limits": _patient(each)}, each.contents)
        for each in vectors
        if not reader.formats or each.body["format"] in reader.formats
    ]
    cases = cases_of(patient, ["recover", "strict"]) + [
        Case(_to_read(vector), "recover")
        for vector in patient
        if vector.operation in _WRITING and not _leaves_nothing(vector)
    ]
    (outcome,) = run_subjects([reader], lambda _: cases, jobs, progress=progress)
    if outcome.status != "ran":
        return [vector.id for vector in patient]
    return [each["vector"] for each in outcome.results if each["class"] != "pass"]


def _patient(vector: Vector) -> dict[str, object]:
    """Return the limits of a vector, such as a long reply, with enough time."""
    return {**vector.body.get("limits", {}), "wall_ms": PATIENCE_MS}


_WRITING = ("write", "append")


def _leaves_nothing(vector: Vector) -> bool:
    """Return whether a write is refused, so that there is no log to read."""
    return vector.operation == "write" and bool(vector.body.get("must_refuse"))


def _to_read(vector: Vector) -> Vector:
    """Return a writing vector as one that reads the resulting log."""
    body = {**vector.body, "operation": "read"}
    return Vector(vector.path, body, _left_by(vector))


def _left_by(vector: Vector) -> Contents:
    """Return the log that the executable specification leaves."""
    body: Mapping[str, object] = vector.body
    if vector.operation == "write" or body.get("must_refuse"):
        return vector.contents
    records = [
        NewRecord(bytes.fromhex(each["payload"]), each) for each in vector.records_to_write()
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / vector.input.name
        write_contents(vector.contents, path)
        named(str(body["format"])).append(path, records, vector.body["context"])
        return read_contents(path)
