"""The fields and citations of grammars, for traceability."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.kaitai.types import Types, members

_STEP = r"[a-z_][a-z0-9_]*(?:\[(?:-?\d+|[a-z])\])?"
_PATH = re.compile(rf"(?<![\w.\]])(?=[a-z0-9_.]*\[){_STEP}(?:\.{_STEP})*(?:\.\{{[a-z0-9_, ]+\}})?")


def field_paths(text: str) -> Iterator[str]:
    """Yield the field paths in a text that have an index, as in ``blocks[0].trailer``.

    ``header.{a, b}`` refers to two fields.
    """
    for whole in filter(lambda path: "[" in path, _PATH.findall(text)):
        outer, brace, inner = whole.partition(".{")
        if not brace:
            yield whole
        for name in inner.rstrip("}").split(",") if brace else ():
            yield f"{outer}.{name.strip()}"


def requirements(grammar: Types) -> Iterator[tuple[str, object]]:
    """Yield each ``-requirement`` in the file: the place in the grammar, and the citation."""
    return _requirements(grammar.types[grammar.top].body, "")


def is_field_of_log(grammar: Types, path: str) -> bool:
    """Return whether the first name of a path is a field of the whole log."""
    top = grammar.types[grammar.top]
    return any(field.get("id") == path.partition("[")[0] for field in members(top.body))


def has_field(grammar: Types, path: str) -> bool:
    """Return whether a path such as ``blocks[0].records[1]`` leads to a field in some case."""
    types = [grammar.types[grammar.top]]
    for step in path.split("."):
        name, index, _ = step.partition("[")
        fields = [(f, type) for type in types for f in members(type.body) if f.get("id") == name]
        if not any(bool(index) == ("repeat" in field) for field, _ in fields):
            return False
        types = [each for field, type in fields for each in grammar.types_of(field, type)]
    return True


def _requirements(node: Any, place: str) -> Iterator[tuple[str, object]]:
    if isinstance(node, Mapping):
        cited = node.get("-requirement", ())
        for identifier in [cited] if isinstance(cited, str) else cited:
            yield place, identifier
        for key, inner in node.items():
            if key != "-requirement":
                yield from _requirements(inner, f"{place}/{key}".lstrip("/"))
    elif isinstance(node, list):
        for number, inner in enumerate(node):
            name = inner.get("id", number) if isinstance(inner, Mapping) else number
            yield from _requirements(inner, f"{place}/{name}")
