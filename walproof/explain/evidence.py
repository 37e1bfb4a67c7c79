"""Evidence for a requirement, reason or field: vectors, and readers that fail."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """Return the vectors that exercise it, ordered by id."""
    of_format = (vector for vector in _vectors() if vector.body["format"] == register.id)
    return [vector for vector in of_format if _exercises(vector.body, meaning)]


def _exercises(body: Mapping[str, Any], meaning: Meaning) -> bool:
    match meaning:
        case Requirement():
            return meaning.id in body["requirements"]
        case Reason():
            return meaning.code in set(_reasons(body))
        case ContextKey():
            return meaning.name in body["context"]
        case RecordField() | FieldToWrite():
            return False  # nearly every vector has it


def _reasons(node: Any) -> Iterator[str]:
    """Yield every reason in the answers of a vector, including tables of truncations."""
    if isinstance(node, Mapping):
        for key, inner in node.items():
            if key == "reason" and isinstance(inner, str):
                yield inner
            elif key not in ("records", "made_by", "context"):
                yield from _reasons(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _reasons(inner)


def failures(exercised: Iterable[Vector]) -> dict[str, dict[str, list[str]]]:
    """Return the ids of vectors with a known failure, by implementation and cause."""
    ids = {vector.id for vector in exercised}
    failing: dict[str, dict[str, list[str]]] = {}
    for implementation in all_implementations():
        if not implementation.known_failures.exists():
            continue
        listed = known_failures.load(implementation.known_failures)
        causes: dict[str, list[str]] = defaultdict(list)
        for entry in listed.entries.values():
            if entry.vector in ids and entry.vector not in causes[listed.causes[entry.cause]]:
                causes[listed.causes[entry.cause]].append(entry.vector)
        causes = {cause: listed_ids for cause, listed_ids in causes.items() if listed_ids}
        if causes:
            failing[implementation.name] = dict(causes)
    return failing
