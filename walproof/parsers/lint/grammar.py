"""A grammar with the place of everything in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from conformance.kaitai.compile import GrammarError
from conformance.kaitai.guards import Guards
from conformance.kaitai.model import Model
from conformance.kaitai.types import Type, class_name

_MISSHAPEN = "a list or a map stands where another was expected; the compiler says where"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, and what to do instead. Lines and columns count from 1."""

    path: Path
    line: int
    column: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Node:
    """A map in a grammar: what it says, where it stands, and the type that it belongs to.

    ``role`` is grammar, meta, type, attribute, instance, param or enum.
    """

    role: str
    id: str
    body: Mapping[str, Any]
    node: yaml.MappingNode
    owner: Type | None


class LintedGrammar:
    """One grammar. Raises ``yaml.MarkedYAMLError``, and ``ValueError`` for what is no grammar."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        node = yaml.compose(self.text, Loader=yaml.SafeLoader)
        body = yaml.safe_load(self.text)
        meta = body.get("meta") if isinstance(node, yaml.MappingNode) else None
        if (
            not isinstance(meta, Mapping)
            or "id" not in meta
            or not isinstance(node, yaml.MappingNode)
        ):
            raise ValueError("no grammar: a map with meta/id was expected")
        self.root = node
        self.body = body
        try:
            self.model = Model(path.stem, path.parent)
        except (OSError, KeyError, GrammarError) as error:
            raise ValueError(f"cannot follow the imports: {error}") from None
        except (AttributeError, TypeError):
            raise ValueError(_MISSHAPEN) from None
        self.guards = Guards(self.model)
        try:
            self.nodes = list(self._nodes())
        except (AttributeError, TypeError, KeyError):
            raise ValueError(_MISSHAPEN) from None

    def own_types(self) -> Iterator[Type]:
        """The types of this file, imported ones left out."""
        for one in self.model.types.values():
            if one.file == self.path.parent / f"{self.path.stem}.ksy":
                yield one

    def of(self, *roles: str) -> Iterator[Node]:
        """The maps of these roles, in order."""
        return (node for node in self.nodes if node.role in roles)

    def at(self, node: Node, key: str | None, rule: str, message: str) -> Finding:
        """A finding at a key of a map, or at the map."""
        mark = node.node.start_mark
        for name, _ in node.node.value:
            if name.value == key:
                mark = name.start_mark
        return Finding(self.path, mark.line + 1, mark.column + 1, rule, message)

    def _nodes(self) -> Iterator[Node]:
        yield from self._type(self.root, self.body, str(self.body["meta"]["id"]), "grammar", "")

    def _type(
        self, node: yaml.MappingNode, body: Mapping[str, Any], name: str, role: str, outer: str
    ) -> Iterator[Node]:
        qualified = f"{outer}.{class_name(name)}" if outer else class_name(name)
        owner = self.model.types.get(qualified)
        yield Node(role, name, body, node, owner)
        parts = {key.value: value for key, value in node.value}
        if "meta" in parts and role == "grammar":
            yield Node("meta", "meta", body["meta"], parts["meta"], owner)
        for key, inner_role in (("params", "param"), ("seq", "attribute")):
            for item, said in zip(
                parts[key].value if key in parts else (), body.get(key) or (), strict=False
            ):
                yield Node(inner_role, str(said.get("id", "")), said, item, owner)
        for key, inner_role in (("instances", "instance"), ("enums", "enum")):
            for inner, value in parts[key].value if key in parts else ():
                said = (body.get(key) or {}).get(yaml.safe_load(inner.value), {})
                if isinstance(value, yaml.MappingNode):
                    yield Node(inner_role, inner.value, said, value, owner)
        for inner, value in parts["types"].value if "types" in parts else ():
            said = body["types"][inner.value]
            yield from self._type(value, said, inner.value, "type", qualified)
