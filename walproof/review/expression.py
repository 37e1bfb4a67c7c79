"""Expressions of a grammar in one canonical form, in which only their meaning shows.

``a < b`` and ``b > a``, ``n * 2 + 1`` and ``1 + 2 * n``, ``x ? y : false`` and ``x and y``,
``sizeof<header>`` and ``7`` are the same. A value instance is replaced by what it stands for:
a condition that is moved into a named instance is still the same condition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from walproof.review.resolved import Class, Member, Model, Name, Node, target

Canon = tuple[Any, ...]
"""A canonical expression: a kind, then its parts."""
Rename = Callable[[Name | None, str], str]
"""New name of a member, given its type (None if that is not known) and its old name."""

_DEPTH = 24
_SELF: Canon = ("self",)
_FOLDED = {
    "Mult": lambda a, b: a * b,
    "Div": lambda a, b: a // b,
    "Mod": lambda a, b: a % b,
    "BitAnd": lambda a, b: a & b,
    "BitOr": lambda a, b: a | b,
    "BitXor": lambda a, b: a ^ b,
    "LShift": lambda a, b: a << b,
    "RShift": lambda a, b: a >> b,
}
_COMMUTATIVE = ("Mult", "BitAnd", "BitOr", "BitXor")


def integer(value: int) -> Canon:
    """A constant."""
    return ("sum", value)


class Expressions:
    """Turns the expressions of one model into canonical form."""

    def __init__(self, model: Model, rename: Rename) -> None:
        self.model = model
        self.rename = rename
        self.transparent: set[tuple[Name, str]] = set()
        """Fields whose own fields count as those of the type around them, by type and name."""

    def canon(
        self,
        node: Node,
        owner: Name,
        base: Canon | None = None,
        element: Name | None = None,
        depth: int = 0,
    ) -> Canon:
        """The canonical form of an expression that stands in type ``owner``.

        ``base`` is the object it is asked of (None: the one it stands in), ``element`` the type of
        ``_``.
        """
        if not isinstance(node, dict) or depth > _DEPTH:
            return ("literal", repr(node))
        known = getattr(self, f"_{node['_'].lower()}", None)

        def inner(child: Node) -> Canon:
            return self.canon(child, owner, base, element, depth + 1)

        if known is not None:
            found: Canon = known(node, owner, base, element, depth, inner)
            return found
        parts = [
            (key, tuple(map(inner, value)) if isinstance(value, list) else inner(value))
            for key, value in node.items()
            if key != "_"
        ]
        return (node["_"], *parts)

    def fixed_bits(self, name: Name, depth: int = 0) -> int | None:
        """Bits of a type that always has the same size; conditional fields count as present."""
        total = 0
        if name not in self.model.classes or depth > _DEPTH:
            return None
        for member in self.model.classes[name].seq:
            bits = self.bits(member, depth + 1)
            if bits is None:
                return None
            total += bits
        return total

    def bits(self, member: Member, depth: int = 0) -> int | None:
        """Bits of one field, or None if they depend on the data."""
        if member.node["cond"]["repeat"]["_"] == "RepeatExpr":
            count = self.canon(member.node["cond"]["repeat"]["expr"], member.owner)
            one = self._type_bits(member.node["dataType"], member.owner, depth)
            return one * count[1] if is_integer(count) and one is not None else None
        if member.node["cond"]["repeat"]["_"] != "NoRepeat":
            return None
        return self._type_bits(member.node["dataType"], member.owner, depth)

    def _type_bits(self, node: Node, owner: Name, depth: int) -> int | None:
        kind = node["_"]
        if kind == "Int1Type":
            return 8
        if kind in ("IntMultiType", "FloatMultiType"):
            return 8 * int(node["width"]["width"])
        if kind == "BitsType1":
            return 1
        if kind == "BitsType":
            return int(node["width"])
        if kind == "BytesLimitType":
            size = self.canon(node["size"], owner)
            return 8 * size[1] if is_integer(size) else None
        if kind == "UserTypeInstream":
            name = target(node)
            return self.fixed_bits(name, depth + 1) if name else None
        for outer in ("basedOn", "bytes"):
            if outer in node:
                return self._type_bits(node[outer], owner, depth)
        return None

    # -- names ---------------------------------------------------------------------------------

    def _name(
        self, node: Node, owner: Name, base: Canon | None, element: Name | None, depth: int, _: Any
    ) -> Canon:
        name = node["id"]["name"]
        if name in ("_", "_root", "_index", "_on"):
            return ("name", name)
        return self._of(owner, name, base, depth)

    def _attribute(
        self, node: Node, owner: Name, base: Canon | None, element: Name | None, depth: int,
        inner: Callable[[Node], Canon],
    ) -> Canon:  # fmt: skip
        return self._of(
            self.type_of(node["value"], owner, element),
            node["attr"]["name"],
            inner(node["value"]),
            depth,
        )

    def _of(self, owner: Name | None, name: str, base: Canon | None, depth: int) -> Canon:
        """Member ``name`` of an object of type ``owner``."""
        spec = self.model.classes.get(owner) if owner else None
        member = spec.member(name) if spec else None
        if base == _SELF:
            base = None
        if (owner, name) in self.transparent:
            return base or _SELF
        if spec and member and member.role == "value":
            value = self.canon(member.node["value"], spec.name, base, None, depth + 1)
            if member.node["ifExpr"] is None:
                return value
            return ("when", self.canon(member.node["ifExpr"], spec.name, base, None, depth), value)
        if spec and member and member.role == "param":
            name = f"param {_index(spec, member)}"
        elif not name.startswith("_"):
            name = self.rename(owner if member else None, name)
        return ("name", name) if base is None else ("attr", base, name)

    def type_of(self, node: Node, owner: Name, element: Name | None) -> Name | None:
        """The type of the object that an expression leads to, or of the elements of an array."""
        kind = node.get("_") if isinstance(node, dict) else None
        if kind == "Name":
            name = node["id"]["name"]
            if name == "_":
                return element
            if name == "_root":
                return owner[:1]
            if name == "_parent":
                return self._parent(owner)
            return self._member_type(owner, name)
        if kind == "Attribute":
            of = self.type_of(node["value"], owner, element)
            name = node["attr"]["name"]
            if name == "_root":
                return owner[:1]
            if name == "_parent":
                return self._parent(of) if of else None
            spec = self.model.classes.get(of) if of else None
            if spec and spec.member(name) is None and name in ("first", "last"):
                return of
            return self._member_type(of, name) if of else None
        if kind in ("Subscript", "ArraySubscript"):
            return self.type_of(node["value"], owner, element)
        return None

    def _member_type(self, owner: Name, name: str) -> Name | None:
        spec = self.model.classes.get(owner)
        member = spec.member(name) if spec else None
        if member is None:
            return None
        if member.role == "value":
            return target(member.node.get("dataTypeOpt") or {})
        return target(member.node["dataType"])

    def _parent(self, name: Name) -> Name | None:
        owners = {owner.name for owner, _, _ in self.model.uses(name)}
        return owners.pop() if len(owners) == 1 else None

    # -- values --------------------------------------------------------------------------------

    def _intnum(self, node: Node, *_: Any) -> Canon:
        return integer(int(node["n"]["big"]))

    def _bool(self, node: Node, *_: Any) -> Canon:
        return ("bool", bool(node["n"]))

    def _str(self, node: Node, *_: Any) -> Canon:
        return ("str", node["s"])

    def _enumbylabel(self, node: Node, owner: Name, *_: Any) -> Canon:
        label = node["label"]["name"]
        where = tuple(node["inType"]["names"]) if node.get("inType") else ()
        wanted = (*where, node["enumName"]["name"])
        for name in _seen_from(owner, wanted):
            for value, member in self.model.enums.get(name, {}).items():
                if member == label:
                    return ("enum", value)
        return ("enum", "::".join((*wanted, label)))

    def _casttotype(self, node: Node, owner: Name, base: Canon | None, element: Name | None,
                    depth: int, inner: Callable[[Node], Canon]) -> Canon:  # fmt: skip
        to = "::".join(node["typeName"]["names"])
        value = inner(node["value"])
        # Widening to 64 bits loses nothing; the grammars do it for languages such as Go.
        return value if to in ("s8", "u8") else ("cast", to, value)

    def _bytesizeoftype(self, node: Node, owner: Name, *_: Any) -> Canon:
        return self._size_of(node, owner, 8)

    def _bitsizeoftype(self, node: Node, owner: Name, *_: Any) -> Canon:
        return self._size_of(node, owner, 1)

    def _size_of(self, node: Node, owner: Name, unit: int) -> Canon:
        names = tuple(node["typeName"]["names"])
        primitive = {"u1": 8, "s1": 8, "u2": 16, "s2": 16, "u4": 32, "s4": 32, "u8": 64, "s8": 64}
        bits = primitive.get(names[0]) if len(names) == 1 else None
        for name in _seen_from(owner, names):
            if bits is None and name in self.model.classes:
                bits = self.fixed_bits(name)
                break
        return integer(bits // unit) if bits is not None else ("sizeof", names)

    # -- operators -----------------------------------------------------------------------------

    def _binop(self, node: Node, owner: Name, base: Canon | None, element: Name | None, depth: int,
               inner: Callable[[Node], Canon]) -> Canon:  # fmt: skip
        op, left, right = node["op"]["_"], inner(node["left"]), inner(node["right"])
        if op == "Add" and "str" in (left[0], right[0]):
            return ("join", left, right)
        if op in ("Add", "Sub"):
            return add(left, right, 1 if op == "Add" else -1)
        if is_integer(left) and is_integer(right) and (right[1] or op not in ("Div", "Mod")):
            return integer(_FOLDED[op](left[1], right[1]))
        if op == "Mult":
            for one, other in ((left, right), (right, left)):
                if is_integer(one):
                    return add(integer(0), other, one[1])
        if op in _COMMUTATIVE:
            left, right = sorted((left, right), key=repr)
        return (op, left, right)

    def _unaryop(self, node: Node, owner: Name, base: Canon | None, element: Name | None,
                 depth: int, inner: Callable[[Node], Canon]) -> Canon:  # fmt: skip
        value = inner(node["operand"])
        if node["op"]["_"] == "Not":
            return negated(value)
        if node["op"]["_"] == "Minus":
            return add(integer(0), value, -1)
        return (node["op"]["_"], value)

    def _compare(self, node: Node, owner: Name, base: Canon | None, element: Name | None,
                 depth: int, inner: Callable[[Node], Canon]) -> Canon:  # fmt: skip
        op, left, right = node["ops"]["_"], inner(node["left"]), inner(node["right"])
        if op in ("Gt", "GtE"):
            left, right = right, left
        if op in ("Lt", "Gt"):
            return ("negative", add(left, right, -1))
        if op in ("LtE", "GtE"):
            return ("negative", add(add(left, right, -1), integer(1), -1))
        equal = _equal(left, right)
        return negated(equal) if op == "NotEq" else equal

    def _boolop(self, node: Node, owner: Name, base: Canon | None, element: Name | None, depth: int,
                inner: Callable[[Node], Canon]) -> Canon:  # fmt: skip
        return junction(node["op"]["_"], [inner(value) for value in node["values"]])

    def _ifexp(self, node: Node, owner: Name, base: Canon | None, element: Name | None, depth: int,
               inner: Callable[[Node], Canon]) -> Canon:  # fmt: skip
        condition, yes, no = (inner(node[k]) for k in ("condition", "ifTrue", "ifFalse"))
        if condition[0] == "bool":
            return yes if condition[1] else no
        if no == ("bool", False):
            return junction("And", [condition, yes])
        if yes == ("bool", True):
            return junction("Or", [condition, no])
        if yes == no:
            return yes
        if condition[0] in ("not", "differ"):
            condition, yes, no = negated(condition), no, yes
        if condition[0] == "negative":
            # `a < b ? a : b`, and whether it says < or <= makes no difference.
            difference, below = add(yes, no, -1), condition[1]
            if below in (difference, add(difference, integer(1), -1)):
                return ("min", *sorted((yes, no), key=repr))
            difference = add(no, yes, -1)
            if below in (difference, add(difference, integer(1), -1)):
                return ("max", *sorted((yes, no), key=repr))
        return min(("if", condition, yes, no), ("if", negated(condition), no, yes), key=repr)


def is_integer(value: Canon) -> bool:
    """Whether an expression is a constant number, ``value[1]``."""
    return value[0] == "sum" and len(value) == 2


def add(left: Canon, right: Canon, factor: int) -> Canon:
    """``left + factor * right`` as a sum: a constant, then the terms with their coefficients."""
    constant, terms = 0, dict[Canon, int]()
    for value, times in ((left, 1), (right, factor)):
        if value[0] == "sum":
            constant += times * value[1]
            for count, term in value[2:]:
                terms[term] = terms.get(term, 0) + times * count
        else:
            terms[value] = terms.get(value, 0) + times
    kept = sorted(((count, term) for term, count in terms.items() if count), key=repr)
    if constant == 0 and len(kept) == 1 and kept[0][0] == 1:
        return kept[0][1]
    return ("sum", constant, *kept)


def negated(value: Canon) -> Canon:
    """``not value``."""
    if value[0] == "bool":
        return ("bool", not value[1])
    if value[0] == "not":
        return tuple(value[1])
    if value[0] == "equal":
        return ("differ", *value[1:])
    if value[0] == "differ":
        return ("equal", *value[1:])
    if value[0] == "negative":  # not x < 0  <=>  -x - 1 < 0, for whole numbers
        return ("negative", add(integer(-1), value[1], -1))
    if value[0] in ("And", "Or"):
        other = "Or" if value[0] == "And" else "And"
        return junction(other, [negated(part) for part in value[1:]])
    return ("not", value)


def junction(op: str, values: list[Canon]) -> Canon:
    """``And`` or ``Or`` of several conditions, in no order and none twice."""
    parts: dict[Canon, None] = {}
    for value in values:
        inner = value[1:] if value[0] == op else (value,)
        parts.update(dict.fromkeys(inner))
    absorbing, neutral = ("bool", op == "Or"), ("bool", op == "And")
    if absorbing in parts:
        return absorbing
    parts.pop(neutral, None)
    if not parts:
        return neutral
    if len(parts) == 1:
        return next(iter(parts))
    return (op, *sorted(parts, key=repr))


def _equal(left: Canon, right: Canon) -> Canon:
    if left[0] == right[0] == "enum" or (is_integer(left) and is_integer(right)):
        return ("bool", left == right)
    for one, other in ((left, right), (right, left)):
        if one[0] == "bool":
            return other if one[1] else negated(other)
    if "sum" in (left[0], right[0]):
        difference = add(left, right, -1)
        other_way = add(integer(0), difference, -1)
        return ("equal", min(difference, other_way, key=repr))
    return ("equal", *sorted((left, right), key=repr))


def _index(spec: Class, member: Member) -> int:
    return [param.id for param in spec.params].index(member.id)


def _seen_from(owner: Name, wanted: Name) -> list[Name]:
    """The qualified names that a name may stand for, innermost scope first."""
    return [(*owner[:depth], *wanted) for depth in range(len(owner), -1, -1)]
