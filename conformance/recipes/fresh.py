"""Fresh variants of vectors: the same faults at the same offsets of new logs.

A program could store the answers to the golden vectors. A seed therefore changes the payloads that
the recipes write (:mod:`conformance.recipes.variation`), and the executable specification computes
new answers. A variant replaces its vector only if it tests the same behaviour: the statement of the
recipe holds, and the two answers differ only in payloads and in fields that depend on payloads.
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
    """The variants of one seed, by vector id, and the ids of vectors without a variant."""

    seed: int
    variants: dict[str, Vector] = field(default_factory=dict)
    as_golden: list[str] = field(default_factory=list)
    # The second reader that confirmed the variants.
    by: str | None = None
    # Vectors whose variant the second reader answers differently, which is a defect of Walproof.
    # These variants are not used.
    unconfirmed: list[str] = field(default_factory=list)

    def instead_of(self, vectors: Mapping[str, Vector]) -> dict[str, Vector]:
        """Return the vectors, replaced by their variants if they have one."""
        return {id: self.variants.get(id, vector) for id, vector in vectors.items()}


def fresh(vectors: Mapping[str, Vector], ids: Collection[str], seed: int) -> Fresh:
    """Return the variants of the vectors with these ids, which are in ``vectors``.

    Raises :class:`~conformance.kaitai.compile.ToolMissing` if field names cannot be found.
    """
    result = Fresh(seed)
    for source in sources():
        own_ids = {id for id in ids if id.startswith(f"{source.book.format}/")}
        with varied_by(seed):
            variants = dict(_variants(source, vectors, own_ids))
        result.variants |= variants
        result.as_golden += sorted(own_ids - set(variants))
    of_no_recipe = set(ids) - set(result.variants) - set(result.as_golden)
    result.as_golden += sorted(of_no_recipe)
    return result


def _variants(
    source: Source, vectors: Mapping[str, Vector], ids: Collection[str]
) -> Iterator[tuple[str, Vector]]:
    built: dict[str, Log] = {}
    needed = _needed(source.book, ids)
    for recipe in source.book.recipes.values():
        if recipe.slug not in needed or (recipe.source and recipe.source.slug not in built):
            continue
        try:
            log = build(source, recipe, built)
            built[recipe.slug] = log
            if recipe.id in ids and (vector := _variant(source, recipe, log, vectors)):
                yield recipe.id, vector
        except ToolMissing:
            raise
        except Exception:
            # The recipe fails with other payloads, for whatever reason. The vector has no variant.
            continue


def _needed(book: Book[Any], ids: Collection[str]) -> set[str]:
    """Return the slugs of the recipes, and of the recipes that they are built on."""
    needed = set()
    for recipe in book.recipes.values():
        current: Recipe[Any] | None = recipe if recipe.id in ids else None
        while current is not None and current.slug not in needed:
            needed.add(current.slug)
            current = current.source
    return needed


def _variant(
    source: Source, recipe: Recipe[Any], log: Log, vectors: Mapping[str, Vector]
) -> Vector | None:
    golden = vectors[recipe.id]
    log.golden = None  # the golden bytes have other payloads
    body = json.loads(dump(describe(recipe, log, input_name_of(source, recipe, log))))
    if is_the_same_test(golden.body, body) and not _is_equal(golden, body, log.contents):
        return Vector(golden.path, body, log.contents)
    return None


def _is_equal(golden: Vector, body: Mapping[str, Any], contents: Contents) -> bool:
    """Return whether neither the log nor the records to write have changed."""
    return golden.contents == contents and golden.body.get("records") == body.get("records")


# Parts of a description that may differ; :func:`_shape` compares the other parts.
_OTHER = frozenset({"sha256", "made_by", "records", "context", "notes"})


def is_the_same_test(golden: Mapping[str, Any], variant: Mapping[str, Any]) -> bool:
    """Return whether a variant tests the same behaviour as its golden vector."""
    if golden.keys() != variant.keys() or len(_damage(golden)) != len(_damage(variant)):
        return False
    return all(_shape(golden[key]) == _shape(variant[key]) for key in golden.keys() - _OTHER) and [
        _fields(record) for record in golden.get("records", [])
    ] == [_fields(record) for record in variant.get("records", [])]


def _damage(body: Mapping[str, Any]) -> list[str]:
    return list(body["made_by"].get("damage", []))


_PLACE = frozenset({"file", "at", "size", "verdict", "reason", "from", "to", "end"})


def _shape(value: Any, name: str = "") -> Any:
    """Return a value without payloads; positions, verdicts and reasons stay."""
    if isinstance(value, Mapping):
        if "payload" in value or "payload_sha256" in value:
            return _fields(value)
        return {
            key: None if key in ("sha256", "hex") else _shape(item, key)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return value


def _fields(record: Mapping[str, Any]) -> Any:
    """Return a record's position, the length of its payload, and its fields with their types."""
    return {
        key: value
        if key in _PLACE
        else len(value)
        if key == "payload" or isinstance(value, list)
        else type(value)
        for key, value in record.items()
    }
