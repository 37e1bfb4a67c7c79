"""Evidence for a requirement, reason or field: vectors, and readers that fail."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance import known_failures
from conformance.chapter import Requirement
from conformance.vectors import Vector, load_all
from reference_impl.register import ContextKey, FieldToWrite, Reason, RecordField, Register
from walproof.explain.subject import Meaning
from walproof.implementations import all_implementations


@functools.cache
def _vectors() -> Sequence[Vector]:
    return tuple(load_all().values())


def vectors(register: Register, meaning: Meaning) -> list[Vector]:
    """Return the vectors of a format that exercise a meaning, ordered by id."""
    of_format = (vector for vector in _vectors() if vector.body["format"] == register.id)
    return [vector for vector in of_format if _exercises(vector.body, meaning)]


def _exercises(body: Mapping[str, Any], meaning: Meaning) -> bool:
    match meaning:
        case Requirement():
            return meaning.id in body["requirements"]
        case Reason():
            return f'"reason": "{meaning.code}"' in json.dumps(body)
        case ContextKey():
            return meaning.name in body["context"]
        case RecordField() | FieldToWrite():
            return False  # nearly every vector has the field


def failures(exercised: Iterable[Vector]) -> dict[str, dict[str, set[str]]]:
    """Return the ids of vectors with a known failure, by implementation and cause."""
    ids = {vector.id for vector in exercised}
    failing: dict[str, dict[str, set[str]]] = {}
    for implementation in all_implementations():
        listed = known_failures.load(implementation.known_failures)
        for entry in listed.entries.values():
            if entry.vector in ids:
                causes = failing.setdefault(implementation.name, defaultdict(set))
                causes[listed.causes[entry.cause]].add(entry.vector)
    return failing
