"""Where to see a requirement, a reason or a field: code that obeys, vectors, readers that fail."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from conformance import known_failures
from conformance.vectors import Vector, load_all
from reference_impl.paths import GRAMMARS, PACKAGES, ROOT
from reference_impl.register import ContextKey, FieldToWrite, Reason, RecordField, Register
from walproof.explain.subject import GrammarField, Meaning
from walproof.implementations import all_implementations
from walproof.review.prose import Requirement

FOLDERS = ("reference_impl", "walproof/formats")


@functools.cache
def _vectors() -> Sequence[Vector]:
    return tuple(load_all().values())


def vectors(register: Register, meaning: Meaning) -> list[Vector]:
    """The vectors that exercise it, in the order of their ids."""
    mine = (one for one in _vectors() if one.body["format"] == register.id)
    return [one for one in mine if _exercises(one.body, meaning)]


def _exercises(body: Mapping[str, Any], meaning: Meaning) -> bool:
    match meaning:
        case Requirement():
            return meaning.id in body["requirements"]
        case Reason():
            return meaning.code in set(_reasons(body))
        case ContextKey():
            return meaning.name in body["context"]
        case RecordField() | FieldToWrite():
            return False  # nearly every vector has it: nothing to look up
        case GrammarField():
            last = meaning.place.rpartition(".")[2]
            said = " ".join(body["made_by"].get("damage", ()))
            return re.search(rf"(?<![\w]){re.escape(last)}(?![\w])", said) is not None


def _reasons(node: Any) -> Iterator[str]:
    """Every reason in the answers of a vector, tables of truncations included."""
    if isinstance(node, Mapping):
        for key, inner in node.items():
            if key == "reason" and isinstance(inner, str):
                yield inner
            elif key not in ("records", "made_by", "context"):
                yield from _reasons(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _reasons(inner)


def code(register: Register, meaning: Meaning) -> list[tuple[str, str]]:
    """``(file:line, the line)`` of the executable specification, the scanner and the grammars."""
    match meaning:
        case Requirement():
            wanted = re.compile(rf"\b{meaning.id}\b")
        case Reason():
            wanted = re.compile(rf'"{re.escape(meaning.code)}"')
        case ContextKey():
            wanted = re.compile(rf'"{re.escape(meaning.name)}"')
        case _:
            return []
    return list(_lines(register, wanted))


def _lines(register: Register, wanted: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    sources = [
        path
        for folder in FOLDERS
        for path in sorted((PACKAGES / folder / register.module).rglob("*.py"))
    ]
    grammars = [GRAMMARS / f"{grammar.name}.ksy" for grammar in register.grammars]
    for path in (*sources, *grammars):
        root = PACKAGES if path.is_relative_to(PACKAGES) else ROOT
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if wanted.search(line):
                yield f"{path.relative_to(root)}:{number}", line.strip()


def failures(exercised: Iterable[Vector]) -> dict[str, dict[str, list[str]]]:
    """By implementation and cause, the ids of those vectors that are known to fail."""
    ids = {vector.id for vector in exercised}
    found: dict[str, dict[str, list[str]]] = {}
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
            found[implementation.name] = dict(causes)
    return found
