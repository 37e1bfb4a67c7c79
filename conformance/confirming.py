"""Confirm fresh variants with a second reader that shares no code with the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.cases import Case, cases_of, log_after
from conformance.recipes.fresh import Fresh
from conformance.registry import FOLDER, load
from conformance.runner import run_subjects
from conformance.score import WRITING
from conformance.subject import Subject, subject_of
from conformance.vectors import Vector

SECOND_READER = "kaitai-python"
# The second reader is checked for its answer, not for its speed.
PATIENCE_MS = 20_000


def confirm(fresh: Fresh, jobs: int = 2) -> Fresh:
    """Replace vectors by their variants if the second reader confirms the variants.

    Without a second reader, all variants are accepted.
    """
    reader = subject_of(load(FOLDER / SECOND_READER), "walproof")
    if reader.unavailable is not None:
        return fresh
    wrong = set(_not_passed(reader, list(fresh.variants.values()), jobs))
    confirmed = {id: vector for id, vector in fresh.variants.items() if id not in wrong}
    golden = sorted({*fresh.as_golden, *wrong})
    return replace(
        fresh, variants=confirmed, as_golden=golden, by=SECOND_READER, unconfirmed=sorted(wrong)
    )


def _not_passed(reader: Subject, vectors: Sequence[Vector], jobs: int) -> list[str]:
    of_reader = [
        each for each in vectors if not reader.formats or each.body["format"] in reader.formats
    ]
    cases: list[Case] = []
    for vector in of_reader:
        # Keep the limits of the vector, such as the length of a reply, but allow more time.
        limits = {**vector.body.get("limits", {}), "wall_ms": PATIENCE_MS}
        body = {**vector.body, "limits": limits}
        if vector.operation not in WRITING:
            cases += cases_of([Vector(vector.path, body, vector.contents)])
        elif vector.operation == "append" or not body.get("must_refuse"):  # else there is no log
            body["operation"] = "read"
            cases.append(Case(Vector(vector.path, body, log_after(vector)), "recover"))
    (outcome,) = run_subjects([reader], lambda _: cases, jobs)
    if outcome.status != "ran":
        return [vector.id for vector in of_reader]
    return [each["vector"] for each in outcome.results if each["class"] != "pass"]
