"""Expressions of a grammar, compared by their values.

Nothing is proved. Two expressions that are not written alike are computed for many values of the
fields: numbers in the expressions, one more or less, and values for which the sides of a comparison
are equal, or one apart. The expressions are the same if all results are.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from walproof.review.grammar_model import Class, Member, Model, Name, Node, target

Tree = Any
"""A number, a truth value, a text, or a tuple: the name of an operation, then its parts."""
Rename = Callable[[Name | None, str], str]
"""New name of a member, given its type (None if that is not known) and its old name."""

TRIALS = 1000
"""Choices of values for which two expressions are computed."""
MAX_DEPTH = 24
SELF: Tree = ("self",)

_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.floordiv,
    "Mod": operator.mod,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "LShift": lambda a, b: a << (b & 63),
    "RShift": lambda a, b: a >> (b & 63),
}
_ORDER: dict[str, Callable[[int, int], bool]] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}


_COMPARISONS = ("Eq", "NotEq", *_ORDER)
_FIELDS = ("name", "attr")


@dataclass(frozen=True, eq=False)
class Expression:
    """An expression with the names of its fields resolved."""

    tree: Tree

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and _is_same(self.tree, other.tree)

    __hash__ = None  # type: ignore[assignment]

    @property
    def constant(self) -> Any:
        """The value, if it does not depend on fields; else None."""
        if isinstance(self.tree, tuple) and not _is_computed(self.tree):
            return None
        return _Trial(0, [0]).value(self.tree)


def nodes(tree: Tree) -> Iterator[tuple[Any, ...]]:
    """Yield a tree and the trees in it, without numbers and texts."""
    if isinstance(tree, tuple):
        yield tree
        for part in tree[1:]:
            yield from nodes(part)


def _is_computed(tree: Tree) -> bool:
    """Return whether a tree has known operations only, and no field."""
    known = {"if", "And", "Or", "Not", "Minus", *_COMPARISONS, *_ARITHMETIC}
    return all(node[0] in known for node in nodes(tree))


def _is_same(one: Tree, other: Tree) -> bool:
    if one == other and type(one) is type(other):
        return True
    both = [node for tree in (one, other) for node in nodes(("", tree))]
    numbers = {part for node in both for part in node[1:] if type(part) is int}
    pool = sorted({number + step for number in numbers | {0, 1} for step in (-1, 0, 1)})
    comparisons = list(dict.fromkeys(node for node in both if node[0] in _COMPARISONS))
    for number in range(TRIALS):
        trial = _Trial(number, pool)
        start = number % max(1, len(comparisons))
        for comparison in (*comparisons[start:], *comparisons[:start]):
            trial.aim_at(comparison)
        if not _is_equal(trial.value(one), trial.value(other)):
            return False
    return True


class _Trial:
    """One choice of values: numbers of a pool mostly, the same for the same field."""

    def __init__(self, number: int, pool: list[int]) -> None:
        self.number = number
        self.pool = pool
        self.aimed: dict[Tree, int] = {}

    def aim_at(self, comparison: tuple[Any, ...]) -> None:
        """Choose a field so that the two sides of a comparison are equal, or one apart."""
        _, left, right = comparison
        fields = [node for node in nodes(comparison) if node[0] in _FIELDS]
        fields = [field for field in fields if field not in self.aimed]
        if not fields:
            return
        field = fields[_drawn(self.number, comparison) % len(fields)]
        wanted = (0, 0, 1, -1)[_drawn(comparison, self.number) % 4]

        def difference(value: int) -> int | None:
            self.aimed[field] = value
            sides = self.value(left), self.value(right)
            return sides[0] - sides[1] if all(isinstance(side, int) for side in sides) else None

        at_zero, at_one = difference(0), difference(1)
        if at_zero is not None and at_one is not None and at_zero != at_one:
            value, rest = divmod(wanted - at_zero, at_one - at_zero)
            if not rest and difference(value) == wanted:
                return
        del self.aimed[field]

    def value(self, tree: Tree) -> Any:
        """Return the value of an expression."""
        if not isinstance(tree, tuple):
            return tree
        if tree in self.aimed:
            return self.aimed[tree]
        operation, *parts = tree
        if operation == "if":
            condition, yes, no = parts
            return self.value(yes if self.value(condition) else no)
        values = [self.value(part) for part in parts]
        if operation in ("And", "Or"):
            return (all if operation == "And" else any)(map(bool, values))
        if operation == "Not":
            return not values[0]
        if operation in ("Eq", "NotEq"):
            return _is_equal(*values) is (operation == "Eq")
        if all(isinstance(value, int) for value in values):
            if operation == "Minus":
                return -values[0]
            if operation in _ORDER:
                return _ORDER[operation](*values)
            if operation in _ARITHMETIC and (values[1] or operation not in ("Div", "Mod")):
                return _ARITHMETIC[operation](*values)
        # A field, or an operation that is not known: some number, the same for the same parts.
        drawn = _drawn(self.number, operation, *values)
        return drawn >> drawn // 5 % 57 if drawn % 5 == 0 else self.pool[drawn % len(self.pool)]


def _is_equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return bool(one) == bool(other)
    if type(one) is not type(other):
        # A field is compared with a text: it may be that text.
        return _drawn(*sorted(map(repr, (one, other)))) % 2 == 0
    return bool(one == other)


def _drawn(*key: Any) -> int:
    return int(hashlib.sha256(repr(key).encode()).hexdigest()[:16], 16)


class ExpressionReader:
    """Resolves the expressions of one model: names, value instances, enums and sizes of types."""

    def __init__(self, model: Model, rename: Rename) -> None:
        self.model = model
        self.rename = rename
        self.transparent: set[tuple[Name, str]] = set()
        """Fields whose own fields count as those of the type around them, by type and name."""

    def read(
        self, node: Node, owner: Name, base: Tree | None = None, element: Name | None = None
    ) -> Expression:
        """Return the expression of a node that stands in type ``owner``.

        ``base`` is the object it is read of (None: the one it stands in), ``element`` the type of
        ``_``.
        """
        return Expression(self._tree(node, owner, base, element, 0))

    def _tree(
        self, node: Node, owner: Name, base: Tree | None, element: Name | None, depth: int
    ) -> Tree:
        if not isinstance(node, dict) or depth > MAX_DEPTH:
            return ("literal", repr(node))

        def inner(child: Node) -> Tree:
            return self._tree(child, owner, base, element, depth + 1)

        node_type = node["_"]
        if node_type == "IntNum":
            return int(node["n"]["big"])
        if node_type == "Bool":
            return bool(node["n"])
        if node_type == "Str":
            return str(node["s"])
        if node_type == "Name":
            name = node["id"]["name"]
            if name in ("_", "_root", "_index", "_on"):
                return ("name", name)
            return self._member(owner, name, base, depth)
        if node_type == "Attribute":
            of = self._type_of(node["value"], owner, element)
            return self._member(of, node["attr"]["name"], inner(node["value"]), depth)
        if node_type == "EnumByLabel":
            return self._enum_value(node, owner)
        if node_type == "CastToType":
            to = "::".join(node["typeName"]["names"])
            value = inner(node["value"])
            # Widening to 64 bits loses nothing; the grammars do it for languages such as Go.
            return value if to in ("s8", "u8") else ("cast", to, value)
        if node_type in ("ByteSizeOfType", "BitSizeOfType"):
            return self._size_of(node, owner, 8 if node_type == "ByteSizeOfType" else 1)
        if node_type == "BinOp":
            return (node["op"]["_"], inner(node["left"]), inner(node["right"]))
        if node_type == "Compare":
            return (node["ops"]["_"], inner(node["left"]), inner(node["right"]))
        if node_type == "UnaryOp":
            return (node["op"]["_"], inner(node["operand"]))
        if node_type == "BoolOp":
            return (node["op"]["_"], *map(inner, node["values"]))
        if node_type == "IfExp":
            return ("if", *(inner(node[key]) for key in ("condition", "ifTrue", "ifFalse")))
        parts = [
            (key, *map(inner, value)) if isinstance(value, list) else (key, inner(value))
            for key, value in node.items()
            if key != "_"
        ]
        return (node_type, *parts)

    def _member(self, owner: Name | None, name: str, base: Tree | None, depth: int) -> Tree:
        """Resolve member ``name`` of an object of type ``owner``."""
        spec = self.model.classes.get(owner) if owner else None
        member = spec.member(name) if spec else None
        if base == SELF:
            base = None
        if (owner, name) in self.transparent:
            return base or SELF
        if spec and member and member.role == "value":
            value = self._tree(member.node["value"], spec.name, base, None, depth + 1)
            if member.node["ifExpr"] is None:
                return value
            return ("when", self._tree(member.node["ifExpr"], spec.name, base, None, depth), value)
        if spec and member and member.role == "param":
            name = f"param {_index(spec, member)}"
        elif not name.startswith("_"):
            name = self.rename(owner if member else None, name)
        return ("name", name) if base is None else ("attr", base, name)

    def _type_of(self, node: Node, owner: Name, element: Name | None) -> Name | None:
        """Return the type of the object that an expression leads to, or of an array's elements."""
        node_type = node.get("_") if isinstance(node, dict) else None
        if node_type in ("Subscript", "ArraySubscript"):
            return self._type_of(node["value"], owner, element)
        if node_type == "Name":
            of, name = owner, node["id"]["name"]
            if name == "_":
                return element
        elif node_type == "Attribute":
            inner, name = self._type_of(node["value"], owner, element), node["attr"]["name"]
            if inner is None:
                return owner[:1] if name == "_root" else None
            of = inner
        else:
            return None
        if name == "_root":
            return owner[:1]
        if name == "_parent":
            owners = {user.name for user, _, _ in self.model.uses(of)}
            return owners.pop() if len(owners) == 1 else None
        spec = self.model.classes.get(of)
        member = spec.member(name) if spec else None
        if spec and member is None and name in ("first", "last"):
            return of
        if member is None:
            return None
        key = "dataTypeOpt" if member.role == "value" else "dataType"
        return target(member.node.get(key) or {})

    def _enum_value(self, node: Node, owner: Name) -> Tree:
        label = node["label"]["name"]
        inside = tuple(node["inType"]["names"]) if node.get("inType") else ()
        wanted = (*inside, node["enumName"]["name"])
        for name in _seen_from(owner, wanted):
            for value, member in self.model.enums.get(name, {}).items():
                if member == label:
                    return value
        return ("enum", "::".join((*wanted, label)))

    # -- sizes ---------------------------------------------------------------------------------

    def bits(self, member: Member, depth: int = 0) -> int | None:
        """Return the bits of one field; None if they depend on the data."""
        bits = self._type_bits(member.node["dataType"], member.owner, depth)
        repeat = member.node["cond"]["repeat"]
        if repeat["_"] == "NoRepeat":
            return bits
        if repeat["_"] != "RepeatExpr" or bits is None:
            return None
        count = self.read(repeat["expr"], member.owner).constant
        return bits * count if isinstance(count, int) else None

    def _size_of(self, node: Node, owner: Name, unit: int) -> Tree:
        names = tuple(node["typeName"]["names"])
        primitive = {"u1": 8, "s1": 8, "u2": 16, "s2": 16, "u4": 32, "s4": 32, "u8": 64, "s8": 64}
        bits = primitive.get(names[0]) if len(names) == 1 else None
        for name in _seen_from(owner, names):
            if bits is None and name in self.model.classes:
                bits = self._fixed_bits(name, 0)
                break
        return bits // unit if bits is not None else ("sizeof", *names)

    def _fixed_bits(self, name: Name, depth: int) -> int | None:
        """Return the bits of a type of one size; conditional fields count as present."""
        if name not in self.model.classes or depth > MAX_DEPTH:
            return None
        total = 0
        for member in self.model.classes[name].seq:
            bits = self.bits(member, depth + 1)
            if bits is None:
                return None
            total += bits
        return total

    def _type_bits(self, node: Node, owner: Name, depth: int) -> int | None:
        data_type = node["_"]
        if data_type == "Int1Type":
            return 8
        if data_type in ("IntMultiType", "FloatMultiType"):
            return 8 * int(node["width"]["width"])
        if data_type == "BitsType1":
            return 1
        if data_type == "BitsType":
            return int(node["width"])
        if data_type == "BytesLimitType":
            size = self.read(node["size"], owner).constant
            return 8 * size if isinstance(size, int) else None
        if data_type == "UserTypeInstream":
            name = target(node)
            return self._fixed_bits(name, depth + 1) if name else None
        for outer in ("basedOn", "bytes"):
            if outer in node:
                return self._type_bits(node[outer], owner, depth)
        return None


def _index(spec: Class, member: Member) -> int:
    return [param.id for param in spec.params].index(member.id)


def _seen_from(owner: Name, wanted: Name) -> list[Name]:
    """The qualified names that a name may stand for, innermost scope first."""
    return [(*owner[:depth], *wanted) for depth in range(len(owner), -1, -1)]
