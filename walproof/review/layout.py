"""The layout of types in a log: whether an added field moves the bytes that follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walproof.review.expression import Expression, ExpressionReader, Tree, nodes
from walproof.review.facets import FacetReader, Facets
from walproof.review.grammar_model import Member, Model, Name, target


def bounded(model: Model, name: Name, visited: frozenset[Name] = frozenset()) -> bool:
    """Return whether readers ignore bytes after the last known field of a type.

    This is the case at the end of a file, in a substream of fixed size, and at a position that is
    given by an offset.
    """
    if name in visited:
        return True
    if len(name) == 1 and name[0] in model.tops:
        return True
    for owner, member, sized in model.uses(name):
        once = member.node["cond"]["repeat"]["_"] == "NoRepeat"
        if sized or (member.role == "parse" and once):
            continue
        last = member.role == "seq" and owner.seq[-1] is member
        if not (last and once and bounded(model, owner.name, visited | {name})):
            return False
    return True


def may_be_absent(facets: Facets, member: Member) -> str:
    """Return why an old log without this field is still valid, or "" if it is not.

    The reason is ``end`` if the condition depends on the end of the stream, ``empty`` if the field
    may have no bytes, ``never`` if the condition is always false, and ``condition`` for any other
    condition.
    """
    condition = facets.get("if")
    if condition is not None:
        if condition.constant is False:
            return "never"
        return "end" if _reads_stream(condition, ("eof", "size", "pos")) else "condition"
    if member.node["cond"]["repeat"]["_"] == "RepeatEos":
        return "empty"
    if facets.get("how") == "BytesEosType" and facets["kind"] in ("bytes", "text"):
        return "" if "terminator" in facets and facets.get("eosError", True) else "empty"
    return "empty" if facets.get("bits") == 0 else ""


def holds_remaining_bytes(facets: Facets, member: Member) -> bool:
    """Return whether a field holds all remaining raw bytes of its stream."""
    return (
        facets.get("how") == "BytesEosType"
        and facets["kind"] == "bytes"
        and "terminator" not in facets
        and facets["accepts"].is_everything
        and member.node["cond"]["repeat"]["_"] == "NoRepeat"
    )


def depends_on_position(expression: Expression | None) -> bool:
    """Return whether an expression depends on the position in the stream."""
    return expression is not None and _reads_stream(expression, ("eof", "pos"))


def _reads_stream(expression: Expression, names: tuple[str, ...]) -> bool:
    return any(
        node[0] == "attr" and node[2] in names and str(node[1]).endswith("'_io')")
        for node in nodes(expression.tree)
    )


def names_in(expression: Expression | None) -> set[str]:
    """Return the names in an expression, whatever they belong to."""
    trees = () if expression is None else nodes(expression.tree)
    return {node[-1] for node in trees if node[0] in ("name", "attr")}


def flattened(model: Model, reader: FacetReader, name: Name) -> list[Any]:
    """Return the bytes of a type as a list of plain fields, regardless of grouping into types.

    A reference to a field is replaced by the index of the field in the list. Two types with the
    same bytes therefore have equal lists.
    """
    slots: dict[Tree, Tree] = {}
    fields: list[Any] = []
    _flatten(model, reader.expressions, name, None, slots, fields, frozenset())
    return [replaced(facets, slots) for facets in fields]


def inlined(model: Model, member: Member) -> Name | None:
    """Return the type of an unconditional, single field, whose fields can be inlined."""
    node = member.node
    plain = node["dataType"]["_"] == "UserTypeInstream" and not node["dataType"]["args"]
    once = node["cond"]["ifExpr"] is None and node["cond"]["repeat"]["_"] == "NoRepeat"
    name = target(node["dataType"])
    if not (plain and once and node["valid"] is None and name):
        return None
    return name if name in model.classes and not model.classes[name].params else None


def _flatten(
    model: Model, expressions: ExpressionReader, name: Name, base: Tree | None,
    slots: dict[Tree, Tree], fields: list[Any], outer: frozenset[Name],
) -> None:  # fmt: skip
    reader = FacetReader(model, expressions, base)
    for member in model.classes[name].seq:
        new_name = expressions.rename(name, member.id)
        tree: Tree = ("name", new_name) if base is None else ("attr", base, new_name)
        if (inner := inlined(model, member)) and inner not in outer:
            slots[("attr", tree, "_io")] = ("name", "_io")
            _flatten(model, expressions, inner, tree, slots, fields, outer | {name})
            continue
        slots[tree] = ("name", f"slot {len(fields)}")
        facets = reader.of(member)
        facets.pop("enum", None)
        fields.append(facets)


def replaced(value: Any, trees: Mapping[Tree, Tree]) -> Any:
    """Return facets, or a part of them, with trees replaced in their expressions and names."""
    if isinstance(value, Expression):
        return Expression(replaced(value.tree, trees))
    if isinstance(value, dict):
        return {replaced(k, trees): replaced(v, trees) for k, v in value.items()}
    if isinstance(value, tuple):
        return trees.get(value) or tuple(replaced(part, trees) for part in value)
    return value
