"""Compare expressions of grammars by their values.

Two expressions with different spelling are evaluated for many values of their fields: the numbers
in the expressions, these plus or minus 1, and values at which the two sides of a comparison are
equal or differ by 1. If all results are equal, the expressions count as equal. This is a test, not
a proof.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from walproof.review.grammar_model import Class, Member, Model, Name, Node, target

#: A number, boolean, text, or a tuple of the name of an operation and its operands.
Tree = Any
#: Function that returns the new name of a member: ``(type or None if unknown, old name)``.
Rename = Callable[[Name | None, str], str]

#: Number of assignments for which two expressions are evaluated.
TRIALS = 1000
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
    """An expression with resolved field names."""

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
    """Yield a tree and its subtrees, without numbers and texts."""
    if isinstance(tree, tuple):
        yield tree
        for part in tree[1:]:
            yield from nodes(part)


def _is_computed(tree: Tree) -> bool:
    """Return whether a tree consists of known operations without fields."""
    operations = {"if", "And", "Or", "Not", "Minus", *_COMPARISONS, *_ARITHMETIC}
    return all(node[0] in operations for node in nodes(tree))


def _is_same(first: Tree, second: Tree) -> bool:
    if first == second and type(first) is type(second):
        return True
    all_nodes = [node for tree in (first, second) for node in nodes(("", tree))]
    numbers = {part for node in all_nodes for part in node[1:] if type(part) is int}
    pool = sorted({number + step for number in numbers | {0, 1} for step in (-1, 0, 1)})
    comparisons = list(dict.fromkeys(node for node in all_nodes if node[0] in _COMPARISONS))
    for number in range(TRIALS):
        trial = _Trial(number, pool)
        start = number % max(1, len(comparisons))
        for comparison in (*comparisons[start:], *comparisons[:start]):
            trial.aim_at(comparison)
        if not _is_equal(trial.value(first), trial.value(second)):
            return False
    return True


class _Trial:
    """An assignment of values to fields, mostly numbers of a pool."""

    def __init__(self, number: int, pool: list[int]) -> None:
        self.number = number
        self.pool = pool
        self.aimed: dict[Tree, int] = {}

    def aim_at(self, comparison: tuple[Any, ...]) -> None:
        """Choose the value of a field so that the sides of a comparison are equal or differ by
        1."""
        _, left, right = comparison
        fields = [node for node in nodes(comparison) if node[0] in _FIELDS]
        fields = [field for field in fields if field not in self.aimed]
        if not fields:
            return
        field = fields[_drawn(self.number, comparison) % len(fields)]
        target_difference = (0, 0, 1, -1)[_drawn(comparison, self.number) % 4]

        def difference(value: int) -> int | None:
            self.aimed[field] = value
            sides = self.value(left), self.value(right)
            return sides[0] - sides[1] if all(isinstance(side, int) for side in sides) else None

        at_zero, at_one = difference(0), difference(1)
        if at_zero is not None and at_one is not None and at_zero != at_one:
            value, remainder = divmod(target_difference - at_zero, at_one - at_zero)
            if not remainder and difference(value) == target_difference:
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
        # A field or an unknown operation: a number that depends only on the operands.
        drawn = _drawn(self.number, operation, *values)
        return drawn >> drawn // 5 % 57 if drawn % 5 == 0 else self.pool[drawn % len(self.pool)]


def _is_equal(first: Any, second: Any) -> bool:
    if isinstance(first, bool) or isinstance(second, bool):
        return bool(first) == bool(second)
    if type(first) is not type(second):
        # A field that is compared with a text may equal it.
        return _drawn(*sorted(map(repr, (first, second)))) % 2 == 0
    return bool(first == second)


def _drawn(*key: Any) -> int:
    return int(hashlib.sha256(repr(key).encode()).hexdigest()[:16], 16)


class ExpressionReader:
    """Resolve the expressions of one model: names, value instances, enums and sizes of types.

    ``transparent`` contains fields, by type and name. Subfields of these fields count as fields of
    the enclosing type.
    """

    def __init__(self, model: Model, rename: Rename) -> None:
        self.model = model
        self.rename = rename
        self.transparent: set[tuple[Name, str]] = set()

    def read(
        self, node: Node, owner: Name, base: Tree | None = None, element: Name | None = None
    ) -> Expression:
        """Read the expression of a node in type ``owner``.

        ``base`` is the object that contains the fields, or None for the enclosing object.
        ``element`` is the type of ``_``.
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
            # Widening to 64 bits is lossless; the grammars use it for languages such as Go.
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
        """Return the type of the object that an expression refers to, or of the elements of an
        array."""
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
        enum = (*inside, node["enumName"]["name"])
        for name in _candidates(owner, enum):
            for value, member in self.model.enums.get(name, {}).items():
                if member == label:
                    return value
        return ("enum", "::".join((*enum, label)))

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
        for name in _candidates(owner, names):
            if bits is None and name in self.model.classes:
                bits = self._fixed_bits(name, 0)
                break
        return bits // unit if bits is not None else ("sizeof", *names)

    def _fixed_bits(self, name: Name, depth: int) -> int | None:
        """Return the bits of a type of fixed size; conditional fields count as present."""
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


def _candidates(owner: Name, name: Name) -> list[Name]:
    """Return the qualified names that a name may refer to, innermost scope first."""
    return [(*owner[:depth], *name) for depth in range(len(owner), -1, -1)]
