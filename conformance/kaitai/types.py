"""The types and enums of a grammar, under the class names that the compiler gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from conformance import GRAMMARS
from conformance.kaitai.compile import grammar_files

# A part of a grammar, as the YAML library returns it.
Body = Mapping[str, Any]


class _Loader(yaml.SafeLoader):
    """A loader of YAML 1.2, in which ``on`` and ``no`` are strings, so that they can be ids."""


_Loader.yaml_implicit_resolvers = {
    first: [each for each in resolvers if each[0] != "tag:yaml.org,2002:bool"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), list("tf"))


def load_grammar(file: Path) -> dict[str, Any]:
    """Return the contents of a grammar file. Raises YAML errors and ``OSError``."""
    body: dict[str, Any] = yaml.load(file.read_bytes(), _Loader)
    return body


@dataclass(frozen=True)
class Type:
    """A type of a grammar."""

    #: Class name, such as ``LeveldbLog.Block``.
    name: str
    #: Ids of the grammar, of the enclosing types, and of this type, in this order.
    ids: tuple[str, ...]
    #: YAML of the type.
    body: Body
    file: Path


class Types:
    """The types and enums of a grammar, followed by those of its imports.

    Raises YAML errors and ``OSError``.
    """

    def __init__(self, grammar: str, grammars: Path = GRAMMARS) -> None:
        self.grammar = grammar
        self.files = grammar_files(grammar, grammars)
        self.types: dict[str, Type] = {}
        self.enums: dict[str, dict[int, str]] = {}
        for file in self.files:
            body = load_grammar(file)
            self._collect((body["meta"]["id"],), "", body, file)

    @cached_property
    def top(self) -> str:
        """Return the class of the grammar itself."""
        return next(iter(self.types))

    def resolve(self, written: str, scope: Type) -> Type | None:
        """Return the type to which a name refers inside ``scope``, or None for a built-in type."""
        steps = written.split("(")[0].strip().split("::")
        outer = scope.name
        while outer:
            if (type := self._named(outer, steps)) is not None:
                return type
            outer = outer.rpartition(".")[0]
        # The name may be that of this grammar or of an import.
        return self._named("", steps)

    def types_of(self, field: Body, scope: Type) -> Iterator[Type]:
        """Yield the types that a field of ``scope`` may have.

        A ``switch-on`` has one for each case.
        """
        written = field.get("type")
        names = written.get("cases", {}).values() if isinstance(written, Mapping) else [written]
        for name in names:
            if isinstance(name, str) and (type := self.resolve(name, scope)):
                yield type

    def enum_of(self, written: str, scope: Type) -> str:
        """Return the class of an enum such as ``record_type`` or ``other::kind`` in ``scope``."""
        *path, last = written.split("::")
        name = class_name(last)
        if path:
            owner = self.resolve("::".join(path), scope)
            return f"{owner.name}.{name}" if owner else name
        outer = scope.name
        while outer:
            if f"{outer}.{name}" in self.enums:
                return f"{outer}.{name}"
            outer = outer.rpartition(".")[0]
        return name

    def _collect(self, ids: tuple[str, ...], outer: str, body: Body, file: Path) -> None:
        name = f"{outer}.{class_name(ids[-1])}" if outer else class_name(ids[-1])
        self.types[name] = Type(name, ids, body, file)
        for enum, members in (body.get("enums") or {}).items():
            self.enums[f"{name}.{class_name(enum)}"] = {
                int(key): str(value["id"] if isinstance(value, Mapping) else value)
                for key, value in members.items()
            }
        for inner, inner_body in (body.get("types") or {}).items():
            self._collect((*ids, inner), name, inner_body, file)

    def _named(self, outer: str, steps: list[str]) -> Type | None:
        inner = ".".join(map(class_name, steps))
        return self.types.get(f"{outer}.{inner}" if outer else inner)


def members(body: Body) -> list[Body]:
    """Return the fields of a type, then its instances, each with its ``id`` if it has one."""
    instances = (body.get("instances") or {}).items()
    return [*(body.get("seq") or ()), *({"id": name, **each} for name, each in instances)]


def class_name(type_id: str) -> str:
    """Return the compiler's class name for a type: ``record_header`` → RecordHeader."""
    return "".join(part.capitalize() for part in type_id.split("_"))
