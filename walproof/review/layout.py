"""Where a type stands in a log: what an added field shifts, and what stays in place."""

from __future__ import annotations

from typing import Any

from walproof.review.expression import Canon, Expressions
from walproof.review.facets import FacetReader, Facets
from walproof.review.resolved import Member, Model, Name, target

_SORTED = ("And", "Or", "min", "max", "differ", "Mult", "BitAnd", "BitOr", "BitXor")


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
    if condition == ("bool", False):
        return "never"
    if condition is not None:
        return "end" if _asks_for_end(condition) else "condition"
    if member.node["cond"]["repeat"]["_"] == "RepeatEos":
        return "empty"
    if facets.get("how") == "BytesEosType" and facets["kind"] in ("bytes", "text"):
        return "" if "terminator" in facets and facets.get("eosError", True) else "empty"
    return "empty" if facets.get("bits") == 0 or facets.get("size") == ("sum", 0) else ""


def takes_what_is_left(facets: Facets, member: Member) -> bool:
    """Whether a field is raw bytes to the end of its stream, whatever they are."""
    return (
        facets.get("how") == "BytesEosType"
        and facets["kind"] == "bytes"
        and "terminator" not in facets
        and facets["accepts"].everything
        and member.node["cond"]["repeat"]["_"] == "NoRepeat"
    )


def _asks_for_end(value: Any) -> bool:
    """Whether a condition looks at how much of the stream is left."""
    if not isinstance(value, tuple):
        return False
    if value[:1] == ("attr",) and value[2] in ("eof", "size", "pos") and value[1][-1] == "_io":
        return True
    return any(_asks_for_end(part) for part in value)


def asks_where_it_is(value: Any) -> bool:
    """Whether an expression depends on the position in the stream."""
    if not isinstance(value, tuple):
        return False
    if value[:1] == ("attr",) and value[2] in ("eof", "pos") and value[1][-1] == "_io":
        return True
    return any(map(asks_where_it_is, value))


def names_in(value: Any) -> set[str]:
    """The names that stand in an expression, whatever they belong to."""
    if not isinstance(value, tuple):
        return set()
    own = {value[-1]} if value[:1] in (("name",), ("attr",)) else set()
    return own.union(*map(names_in, value))


def flattened(model: Model, reader: FacetReader, name: Name) -> list[Any]:
    """The bytes of a type as a list of plain fields, whatever types they are grouped into.

    References to fields are replaced by their place in the list; so two types that describe the
    same bytes alike have the same list.
    """
    slots: dict[Canon, int] = {}
    found: list[Any] = []
    _flatten(model, reader.expressions, name, None, slots, found, frozenset())
    return [_with_slots(entry, slots) for entry in found]


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
    model: Model, expressions: Expressions, name: Name, base: Canon | None,
    slots: dict[Canon, int], found: list[Any], outer: frozenset[Name],
) -> None:  # fmt: skip
    reader = FacetReader(model, expressions, base)
    for member in model.classes[name].seq:
        own = expressions.rename(name, member.id)
        here: Canon = ("name", own) if base is None else ("attr", base, own)
        if (inner := inlined(model, member)) and inner not in outer:
            slots[("attr", here, "_io")] = -1
            _flatten(model, expressions, inner, here, slots, found, outer | {name})
            continue
        slots[here] = len(found)
        facets = reader.of(member)
        facets.pop("enum", None)
        found.append(_frozen(facets))


def _frozen(value: Any) -> Any:
    """Dicts as tuples, in an order that does not depend on how they were filled."""
    if isinstance(value, dict):
        pairs = [(_frozen(key), _frozen(inner)) for key, inner in value.items()]
        return tuple(sorted(pairs, key=repr))
    return tuple(map(_frozen, value)) if isinstance(value, tuple) else value


def _with_slots(value: Any, slots: dict[Canon, int]) -> Any:
    if not isinstance(value, tuple):
        return value
    if value in slots:
        return ("name", "_io") if slots[value] < 0 else ("slot", slots[value])
    parts = tuple(_with_slots(part, slots) for part in value)
    if parts[:1] == ("sum",):
        return (*parts[:2], *sorted(parts[2:], key=repr))
    if parts and parts[0] in _SORTED:
        return (parts[0], *sorted(parts[1:], key=repr))
    return parts
