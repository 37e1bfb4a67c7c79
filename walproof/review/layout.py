"""Where a type stands in a log: what an added field shifts, and what stays in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from walproof.review.expression import Expression, ExpressionReader, Tree, nodes
from walproof.review.facets import FacetReader, Facets
from walproof.review.grammar_model import Member, Model, Name, target


def bounded(model: Model, name: Name, seen: frozenset[Name] = frozenset()) -> bool:
    """Whether bytes after the last known field of a type disturb nobody.

    That is so at the end of a file, in a stream of its own size, and at a place given by offset.
    """
    if name in seen:
        return True
    if len(name) == 1 and name[0] in model.tops:
        return True
    for owner, member, sized in model.uses(name):
        once = member.node["cond"]["repeat"]["_"] == "NoRepeat"
        if sized or (member.role == "parse" and once):
            continue
        last = member.role == "seq" and owner.seq[-1] is member
        if not (last and once and bounded(model, owner.name, seen | {name})):
            return False
    return True


def may_be_absent(facets: Facets, member: Member) -> str:
    """Why an old log without this field is no trouble; ``""`` if it is.

    ``end``: the condition asks whether the stream has ended. ``empty``: no bytes will do.
    ``never``: the condition is constant and does not hold. ``condition``: any other one.
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


def takes_what_is_left(facets: Facets, member: Member) -> bool:
    """Whether a field is raw bytes to the end of its stream, whatever they are."""
    return (
        facets.get("how") == "BytesEosType"
        and facets["kind"] == "bytes"
        and "terminator" not in facets
        and facets["accepts"].everything
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
    """Return the names that stand in an expression, whatever they belong to."""
    trees = () if expression is None else nodes(expression.tree)
    return {node[-1] for node in trees if node[0] in ("name", "attr")}


def flattened(model: Model, reader: FacetReader, name: Name) -> list[Any]:
    """The bytes of a type as a list of plain fields, whatever types they are grouped into.

    References to fields are replaced by their place in the list; so two types that describe the
    same bytes alike have the same list.
    """
    slots: dict[Tree, Tree] = {}
    fields: list[Any] = []
    _flatten(model, reader.expressions, name, None, slots, fields, frozenset())
    return [replaced(facets, slots) for facets in fields]


def inlined(model: Model, member: Member) -> Name | None:
    """The type of a field that stands there in full, once: its fields might as well be its own."""
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
        here: Tree = ("name", new_name) if base is None else ("attr", base, new_name)
        if (inner := inlined(model, member)) and inner not in outer:
            slots[("attr", here, "_io")] = ("name", "_io")
            _flatten(model, expressions, inner, here, slots, fields, outer | {name})
            continue
        slots[here] = ("name", f"slot {len(fields)}")
        facets = reader.of(member)
        facets.pop("enum", None)
        fields.append(facets)


def replaced(value: Any, trees: Mapping[Tree, Tree]) -> Any:
    """Return facets, or a part of them, in whose expressions and names trees are replaced."""
    if isinstance(value, Expression):
        return Expression(replaced(value.tree, trees))
    if isinstance(value, dict):
        return {replaced(k, trees): replaced(v, trees) for k, v in value.items()}
    if isinstance(value, tuple):
        return trees.get(value) or tuple(replaced(part, trees) for part in value)
    return value
