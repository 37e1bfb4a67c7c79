"""What a member of a type is on the wire: facets by key, in canonical form."""

from __future__ import annotations

from typing import Any

from walproof.review.accepted import Accepted, accepted
from walproof.review.expression import Canon, Expressions, is_integer
from walproof.review.resolved import Member, Model, Name, Node, target

Facets = dict[str, Any]


class FacetReader:
    """Reads the facets of the members of one model."""

    def __init__(self, model: Model, expressions: Expressions, base: Canon | None = None) -> None:
        self.model = model
        self.expressions = expressions
        self.base = base
        """The object whose members are read, as others see it; None for its own view."""

    def of(self, member: Member) -> Facets:
        """All facets of a member: of its data type, its condition, and where and how it is read."""
        node, owner = member.node, member.owner
        if member.role == "value":
            return {
                "kind": "value",
                "value": self._canon(node["value"], owner),
                "if": self._optional(node["ifExpr"], owner),
            }
        found = self.data_type(node["dataType"], owner)
        if member.role == "param":
            return found
        element = target(node["dataType"])
        found["if"] = self._optional(node["cond"]["ifExpr"], owner)
        found["repeat"] = self._repeat(node["cond"]["repeat"], owner, element)
        found["accepts"] = self.accepts(member)
        if member.role == "parse":
            found["pos"] = self._optional(node["pos"], owner)
            found["io"] = self._optional(node["io"], owner)
        return found

    def data_type(self, node: Node, owner: Name) -> Facets:
        """The facets of a data type, without those of a member."""
        kind = node["_"]
        if kind in ("Int1Type", "IntMultiType"):
            width = 1 if kind == "Int1Type" else int(node["width"]["width"])
            endian = _plain(node.get("endian"))
            return {
                "kind": "integer",
                "bits": 8 * width,
                "signed": node["signed"],
                "endian": endian,
            }
        if kind == "FloatMultiType":
            endian, width = _plain(node.get("endian")), int(node["width"]["width"])
            return {"kind": "float", "bits": 8 * width, "endian": endian}
        if kind in ("BitsType1", "BitsType"):
            bits = 1 if kind == "BitsType1" else int(node["width"])
            return {"kind": "integer", "bits": bits, "signed": False, "packed": True,
                    "endian": _plain(node.get("bitEndian"))}  # fmt: skip
        if kind == "EnumType":
            spec = node.get("enumSpec")
            return {**self.data_type(node["basedOn"], owner), "enum": tuple(spec["name"])}
        if kind == "StrFromBytesType":
            return {**self.data_type(node["bytes"], owner), "kind": "text",
                    "encoding": node["encoding"]}  # fmt: skip
        if kind in ("UserTypeInstream", "UserTypeFromBytes"):
            inner = self.data_type(node["bytes"], owner) if "bytes" in node else {}
            args = tuple(self._canon(arg, owner) for arg in node["args"])
            return {**inner, "kind": "type", "type": target(node), "args": args,
                    "bounded": "bytes" in node}  # fmt: skip
        if kind == "SwitchType":
            cases = {
                self.case(key, owner): self.data_type(case, owner) for key, case in node["cases"]
            }
            on = self._canon(node["on"], owner)
            return {"kind": "switch", "on": on, "cases": cases}
        if kind.startswith("Bytes"):
            return self._bytes(node, owner)
        return {"kind": kind, "is": repr(_plain(node))}

    def accepts(self, member: Member) -> Accepted:
        """The values that a field may have."""
        enum = None
        data_type = member.node["dataType"]
        if data_type["_"] == "EnumType":
            enum = self.model.enums.get(tuple(data_type["enumSpec"]["name"]))
        element = target(data_type)

        def canon(node: Node) -> Canon:
            return self._canon(node, member.owner, element)

        return accepted(member.node["valid"], canon, enum)

    def _bytes(self, node: Node, owner: Name) -> Facets:
        found: Facets = {"kind": "bytes", "how": node["_"]}
        if node.get("size") is not None:
            size = self._canon(node["size"], owner)
            found["size"] = size
            if is_integer(size):
                found["bits"] = 8 * size[1]
        for key in ("terminator", "padRight"):
            if node.get(key) is not None:
                found[key] = _plain(node[key])
        if node.get("terminator") is not None:
            found |= {key: node[key] for key in ("include", "consume", "eosError") if key in node}
        if node.get("process") is not None:
            found["process"] = self._canon(node["process"], owner)
        return found

    def _repeat(self, node: Node, owner: Name, element: Name | None) -> Canon:
        if node.get("expr") is None:
            return (node["_"],)
        return (node["_"], self._canon(node["expr"], owner, element))

    def _optional(self, node: Node, owner: Name) -> Canon | None:
        return None if node is None else self._canon(node, owner)

    def _canon(self, node: Node, owner: Name, element: Name | None = None) -> Canon:
        return self.expressions.canon(node, owner, self.base, element)

    def case(self, key: Node, owner: Name) -> Canon:
        """The value of a case of a switch, ``("else",)`` for the default."""
        found = self._canon(key, owner)
        return ("else",) if found == ("name", "_") else found


def _plain(node: Node) -> Any:
    """A leaf of the model that compares and prints well."""
    if isinstance(node, dict):
        rest = tuple((key, _plain(value)) for key, value in node.items() if key != "_")
        return (node["_"], *rest) if rest else node["_"]
    return tuple(map(_plain, node)) if isinstance(node, list) else node
