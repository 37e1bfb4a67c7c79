"""The origin of vectors: existing recipes, and fields that the grammar has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from conformance.traceability.grammar import field_paths
from conformance.traceability.tree import Found, Tree


def missing_recipe(tree: Tree) -> Iterator[Found]:
    """Report recipes that a vector names and the sources lack."""
    functions: dict[Path, set[str]] = {}
    for vector in tree.vectors.values():
        recipe = str(vector.body["made_by"]["recipe"])
        module, _, name = recipe.rpartition(".")
        path = tree.root.joinpath("conformance", "recipes", *module.split(".")).with_suffix(".py")
        if path not in functions:
            body = ast.parse(path.read_bytes()).body if path.is_file() else []
            functions[path] = {node.name for node in body if isinstance(node, ast.FunctionDef)}
        if name not in functions[path]:
            yield vector.id, f"made by {recipe}, which does not exist"


def unknown_field(tree: Tree) -> Iterator[Found]:
    """Report fields that a vector damages or a chapter names and the grammar lacks."""
    for vector in tree.vectors.values():
        grammars = tree.grammars_of(str(vector.body["format"]))
        for path in (path for operation in vector.damage for path in field_paths(operation)):
            if not any(grammar.has(path) for grammar in grammars):
                yield vector.id, f"the grammar has no field {path}"
    for chapter in tree.chapters.values():
        grammars = tree.grammars_of(chapter.format)
        for number, line in enumerate(chapter.path.read_text("utf-8").splitlines(), 1):
            for path in field_paths(line):
                # Other names with an index are code, not fields.
                named = [grammar for grammar in grammars if grammar.names(path)]
                if named and not any(grammar.has(path) for grammar in grammars):
                    where = tree.show(chapter.path, number)
                    yield where, f"the grammar has no field {path}"
