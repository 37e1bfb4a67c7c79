"""Facets of a member: its encoding in the log, by key, with comparable expressions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from walproof.review.expression import Expression, ExpressionReader, Tree
from walproof.review.grammar_model import Member, Model, Name, Node, target

Facets = dict[str, Any]


@dataclass(frozen=True)
class AcceptedValues:
    """The values that a field accepts: a set, a range, or values that satisfy rules.

    By default, every value is accepted. ``rules`` are compared, but not evaluated: a field with
    additional rules accepts fewer values.
    """

    values: frozenset[Any] | None = None
    low: float = -math.inf
    high: float = math.inf
    rules: tuple[Expression, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Return whether every value is accepted."""
        return self == AcceptedValues()

    def is_within(self, other: AcceptedValues) -> bool:
        """Return whether all values accepted here are certainly accepted by ``other``."""
        if any(rule not in self.rules for rule in other.rules):
            return False
        if self.values is not None:
            return all(other.accepts(value) for value in self.values)
        return other.values is None and other.low <= self.low and self.high <= other.high

    def accepts(self, value: Any) -> bool:
        """Return whether a value satisfies the set and the range."""
        if self.values is not None and value not in self.values:
            return False
        if isinstance(value, int):
            return self.low <= value <= self.high
        return self.low == -math.inf and self.high == math.inf

    def shown(self) -> str:
        """Describe the accepted values."""
        parts = []
        if self.values is not None:
            shown = (v.hex(" ") if isinstance(v, bytes) else repr(v) for v in self.values)
            parts.append(", ".join(sorted(shown)) or "nothing")
        if (self.low, self.high) != (-math.inf, math.inf):
            low = "" if self.low == -math.inf else f"{self.low:g} ≤ "
            high = "" if self.high == math.inf else f" ≤ {self.high:g}"
            parts.append(f"{low}value{high}")
        if self.rules:
            parts.append("an expression")
        return " and ".join(parts) or "every value"


class FacetReader:
    """Read the facets of the members of one model.

    ``base`` is the outer object through which the members are reached, or None if they are read
    directly.
    """

    def __init__(
        self, model: Model, expressions: ExpressionReader, base: Tree | None = None
    ) -> None:
        self.model = model
        self.expressions = expressions
        self.base = base

    def of(self, member: Member) -> Facets:
        """Return all facets of a member: data type, condition, position and repetition."""
        node, owner = member.node, member.owner
        if member.role == "value":
            return {
                "kind": "value",
                "value": self._read(node["value"], owner),
                "if": self._optional(node["ifExpr"], owner),
            }
        facets = self.data_type(node["dataType"], owner)
        if member.role == "param":
            return facets
        element = target(node["dataType"])
        facets["if"] = self._optional(node["cond"]["ifExpr"], owner)
        facets["repeat"] = self._repeat(node["cond"]["repeat"], owner, element)
        facets["accepts"] = self.accepts(member)
        if member.role == "parse":
            facets["pos"] = self._optional(node["pos"], owner)
            facets["io"] = self._optional(node["io"], owner)
        return facets

    def data_type(self, node: Node, owner: Name) -> Facets:
        """Return the facets of a data type alone."""
        node_type = node["_"]
        if node_type in ("Int1Type", "IntMultiType"):
            width = 1 if node_type == "Int1Type" else int(node["width"]["width"])
            endian = _plain(node.get("endian"))
            return {
                "kind": "integer",
                "bits": 8 * width,
                "signed": node["signed"],
                "endian": endian,
            }
        if node_type == "FloatMultiType":
            endian, width = _plain(node.get("endian")), int(node["width"]["width"])
            return {"kind": "float", "bits": 8 * width, "endian": endian}
        if node_type in ("BitsType1", "BitsType"):
            bits = 1 if node_type == "BitsType1" else int(node["width"])
            return {"kind": "integer", "bits": bits, "signed": False, "packed": True,
                    "endian": _plain(node.get("bitEndian"))}  # fmt: skip
        if node_type == "EnumType":
            spec = node.get("enumSpec")
            return {**self.data_type(node["basedOn"], owner), "enum": tuple(spec["name"])}
        if node_type == "StrFromBytesType":
            return {**self.data_type(node["bytes"], owner), "kind": "text",
                    "encoding": node["encoding"]}  # fmt: skip
        if node_type in ("UserTypeInstream", "UserTypeFromBytes"):
            inner = self.data_type(node["bytes"], owner) if "bytes" in node else {}
            args = tuple(self._read(arg, owner) for arg in node["args"])
            return {**inner, "kind": "type", "type": target(node), "args": args,
                    "bounded": "bytes" in node}  # fmt: skip
        if node_type == "SwitchType":
            cases = {
                self.case(key, owner): self.data_type(case, owner) for key, case in node["cases"]
            }
            on = self._read(node["on"], owner)
            return {"kind": "switch", "on": on, "cases": cases}
        if node_type.startswith("Bytes"):
            return self._bytes(node, owner)
        return {"kind": node_type, "is": repr(_plain(node))}

    def accepts(self, member: Member) -> AcceptedValues:
        """Return the values that a field accepts: its ``valid``, ``contents`` or ``in-enum``."""
        valid, data_type = member.node["valid"], member.node["dataType"]
        if valid is None:
            return AcceptedValues()
        element = target(data_type)

        def read(key: str) -> Expression:
            return self._read(valid[key], member.owner, element)

        rule = valid["_"]
        if rule == "ValidationEq":
            return _listed([read("value")])
        if rule == "ValidationAnyOf":
            return _listed([self._read(bound, member.owner, element) for bound in valid["values"]])
        if rule in ("ValidationMin", "ValidationMax", "ValidationRange"):
            bounds = {key: read(key) for key in ("min", "max") if key in valid}
            constants = {key: bound.constant for key, bound in bounds.items()}
            rules = tuple(bound for key, bound in bounds.items() if constants[key] is None)
            low, high = constants.get("min"), constants.get("max")
            return AcceptedValues(
                None, -math.inf if low is None else low, math.inf if high is None else high, rules
            )
        if rule == "ValidationInEnum" and data_type["_"] == "EnumType":
            names = self.model.enums.get(tuple(data_type["enumSpec"]["name"]), {})
            return AcceptedValues(frozenset(names))
        if rule == "ValidationExpr":
            return AcceptedValues(rules=(read("checkExpr"),))
        return AcceptedValues(rules=(Expression((rule,)),))

    def _bytes(self, node: Node, owner: Name) -> Facets:
        facets: Facets = {"kind": "bytes", "how": node["_"]}
        if node.get("size") is not None:
            size = self._read(node["size"], owner)
            facets["size"] = size
            if isinstance(size.constant, int):
                facets["bits"] = 8 * size.constant
        for key in ("terminator", "padRight"):
            if node.get(key) is not None:
                facets[key] = _plain(node[key])
        if node.get("terminator") is not None:
            facets |= {key: node[key] for key in ("include", "consume", "eosError") if key in node}
        if node.get("process") is not None:
            facets["process"] = self._read(node["process"], owner)
        return facets

    def _repeat(self, node: Node, owner: Name, element: Name | None) -> tuple[Any, ...]:
        if node.get("expr") is None:
            return (node["_"],)
        return (node["_"], self._read(node["expr"], owner, element))

    def _optional(self, node: Node, owner: Name) -> Expression | None:
        return None if node is None else self._read(node, owner)

    def _read(self, node: Node, owner: Name, element: Name | None = None) -> Expression:
        return self.expressions.read(node, owner, self.base, element)

    def case(self, key: Node, owner: Name) -> Tree:
        """Return the value of a case of a switch, ``("else",)`` for the default."""
        value = self._read(key, owner)
        if value.tree == ("name", "_"):
            return ("else",)
        return ("case", value.tree if value.constant is None else value.constant)


def _listed(values: list[Expression]) -> AcceptedValues:
    constants = [_constant(value) for value in values]
    if None in constants:
        return AcceptedValues(rules=tuple(values))
    return AcceptedValues(frozenset(constants))


def _constant(value: Expression) -> Any:
    """Return a number or a text, or the bytes of ``contents``; None if it depends on fields."""
    if isinstance(value.tree, tuple) and value.tree[0] == "List":
        (_, *elements) = {part[0]: part for part in value.tree[1:]}["elts"]
        if all(isinstance(element, int) for element in elements):
            return bytes(element & 0xFF for element in elements)
    return value.constant


def _plain(node: Node) -> Any:
    """Return a node of the model in a form that can be compared and printed."""
    if isinstance(node, dict):
        values = tuple((key, _plain(value)) for key, value in node.items() if key != "_")
        return (node["_"], *values) if values else node["_"]
    return tuple(map(_plain, node)) if isinstance(node, list) else node
