"""The fields and citations of grammars, for traceability."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Body = Mapping[str, Any]

_STEP = r"[a-z_][a-z0-9_]*(?:\[(?:-?\d+|[a-z])\])?"
_PATH = re.compile(rf"(?<![\w.\]])(?=[a-z0-9_.]*\[){_STEP}(?:\.{_STEP})*(?:\.\{{[a-z0-9_, ]+\}})?")


def field_paths(text: str) -> Iterator[str]:
    """Yield the field paths in a text that have an index, as in ``blocks[0].trailer``.

    ``header.{a, b}`` refers to two fields. A path without an index cannot be distinguished from
    other words, so it is ignored.
    """
    for whole in filter(lambda path: "[" in path, _PATH.findall(text)):
        outer, brace, inner = whole.partition(".{")
        if not brace:
            yield whole
        for name in inner.rstrip("}").split(",") if brace else ():
            yield f"{outer}.{name.strip()}"


@dataclass(frozen=True)
class Grammar:
    """One ``.ksy`` file among all of them, since grammars import each other."""

    name: str
    documents: Mapping[str, Body]

    @property
    def top(self) -> Body:
        """Return the type of the whole log."""
        return self.documents[self.name]

    def requirements(self) -> Iterator[tuple[str, object]]:
        """Yield each ``-requirement`` in the file: the place in the grammar, and the citation."""
        yield from _requirements(self.top, "")

    def names(self, path: str) -> bool:
        """Return whether the first name of a path is a field of the whole log."""
        return any(_fields(self.top, path.partition("[")[0]))

    def has(self, path: str) -> bool:
        """Return whether a path such as ``blocks[0].records[1].header`` leads to a field.

        If a type depends on the data (``switch-on``), the path may lead to a field of any case.
        """
        types = [self.top]
        for step in path.split("."):
            name, index, _ = step.partition("[")
            fields = [field for body in types for field in _fields(body, name)]
            if not any(bool(index) == ("repeat" in field) for field in fields):
                return False
            types = [body for field in fields for body in self._types(field)]
        return True

    def _types(self, field: Body) -> Iterator[Body]:
        named = field.get("type", "")
        names = named.get("cases", {}).values() if isinstance(named, Mapping) else [named]
        for name in names:
            short = str(name).split("(")[0].split("::")[-1]
            for document in self.documents.values():
                if document["meta"]["id"] == short:
                    yield document
                yield from _inner_types(document, short)


def _fields(body: Body, name: str) -> Iterator[Body]:
    yield from (field for field in body.get("seq", ()) if field.get("id") == name)
    if name in body.get("instances", {}):
        yield body["instances"][name]


def _inner_types(body: Body, name: str) -> Iterator[Body]:
    for inner, inner_body in body.get("types", {}).items():
        if inner == name:
            yield inner_body
        yield from _inner_types(inner_body, name)


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
