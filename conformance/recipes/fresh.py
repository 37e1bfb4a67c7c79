"""Fresh variants of vectors: the same faults in the same places of logs that nobody has seen.

A program that knows the golden vectors by heart answers those. So a seed changes what the recipes
write (:mod:`conformance.recipes.variation`), and the executable specification answers anew. A
variant stands in for its vector only if it tests the same: the recipe's own statement holds, and
the two answers differ in payloads and in fields that tell of payloads, and in nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.contents import Contents
from conformance.kaitai.compile import ToolMissing
from conformance.recipes.generate import Source, build, describe, dump, input_name_of, sources
from conformance.recipes.recipe import Book, Log, Recipe
from conformance.recipes.variation import varied_by
from conformance.vectors import Vector


@dataclass
class Fresh:
    """The variants of one seed, by vector id, and the ids of the vectors that have none."""

    seed: int
    variants: dict[str, Vector] = field(default_factory=dict)
    as_golden: list[str] = field(default_factory=list)
    by: str | None = None
    """The second reader that has confirmed them."""
    unconfirmed: list[str] = field(default_factory=list)
    """Vectors whose variant that reader answers otherwise: a defect of ours, and not used."""

    def instead_of(self, vectors: Mapping[str, Vector]) -> dict[str, Vector]:
        """The vectors, each as its variant where it has one."""
        return {id: self.variants.get(id, vector) for id, vector in vectors.items()}


def fresh(vectors: Mapping[str, Vector], wanted: Collection[str], seed: int) -> Fresh:
    """The variants of the vectors with these ids, which are among ``vectors``.

    Raises :class:`~conformance.kaitai.compile.ToolMissing` where names of fields cannot be found.
    """
    found = Fresh(seed)
    for source in sources():
        own = {id for id in wanted if id.startswith(f"{source.book.format}/")}
        with varied_by(seed):
            variants = dict(_variants(source, vectors, own))
        found.variants |= variants
        found.as_golden += sorted(own - set(variants))
    of_no_recipe = set(wanted) - set(found.variants) - set(found.as_golden)
    found.as_golden += sorted(of_no_recipe)
    return found


def _variants(
    source: Source, vectors: Mapping[str, Vector], wanted: Collection[str]
) -> Iterator[tuple[str, Vector]]:
    built: dict[str, Log] = {}
    needed = _needed(source.book, wanted)
    for recipe in source.book.recipes.values():
        if recipe.slug not in needed or (recipe.source and recipe.source.slug not in built):
            continue
        try:
            log = build(source, recipe, built)
            built[recipe.slug] = log
            if recipe.id in wanted and (vector := _variant(source, recipe, log, vectors)):
                yield recipe.id, vector
        except ToolMissing:
            raise
        except Exception:
            # Whatever it is: with other payloads, the recipe does not hold. It stays golden.
            continue


def _needed(book: Book[Any], wanted: Collection[str]) -> set[str]:
    """The slugs of the recipes, and of those that they are built on."""
    needed = set()
    for recipe in book.recipes.values():
        one: Recipe[Any] | None = recipe if recipe.id in wanted else None
        while one is not None and one.slug not in needed:
            needed.add(one.slug)
            one = one.source
    return needed


def _variant(
    source: Source, recipe: Recipe[Any], log: Log, vectors: Mapping[str, Vector]
) -> Vector | None:
    golden = vectors[recipe.id]
    log.golden = None  # those bytes are of the golden one
    body = json.loads(dump(describe(recipe, log, input_name_of(source, recipe, log))))
    if is_the_same_test(golden.body, body) and not _is_equal(golden, body, log.contents):
        return Vector(golden.path, body, log.contents)
    return None


def _is_equal(golden: Vector, body: Mapping[str, Any], contents: Contents) -> bool:
    """Whether nothing has changed, neither in the log nor in what is to be written."""
    return golden.contents == contents and golden.body.get("records") == body.get("records")


_OTHER = frozenset({"sha256", "made_by", "records", "context", "notes"})
"""What of a description may be another; the rest of it is compared by :func:`_shape`."""


def is_the_same_test(golden: Mapping[str, Any], variant: Mapping[str, Any]) -> bool:
    """Whether a variant tests what the golden vector does, as far as the two descriptions show."""
    if golden.keys() != variant.keys() or len(_damage(golden)) != len(_damage(variant)):
        return False
    return all(_shape(golden[key]) == _shape(variant[key]) for key in golden.keys() - _OTHER) and [
        _fields(one) for one in golden.get("records", [])
    ] == [_fields(one) for one in variant.get("records", [])]


def _damage(body: Mapping[str, Any]) -> list[str]:
    return list(body["made_by"].get("damage", []))


_PLACE = frozenset({"file", "at", "size", "verdict", "reason", "from", "to", "end"})


def _shape(value: Any, name: str = "") -> Any:
    """A value with its payloads left out: what is stated of places, verdicts and reasons stays."""
    if isinstance(value, Mapping):
        if "payload" in value or "payload_sha256" in value:
            return _fields(value)
        return {
            key: None if key in ("sha256", "hex") else _shape(one, key)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_shape(one) for one in value]
    return value


def _fields(record: Mapping[str, Any]) -> Any:
    """A record: its place, the length of its payload, and which fields it has, of which kind."""
    return {
        key: one
        if key in _PLACE
        else len(one)
        if key == "payload" or isinstance(one, list)
        else type(one)
        for key, one in record.items()
    }
