"""Mutation operators, each of which yields changes to a syntax node."""

# Existing tools do not fit. mutmut runs only pytest, and leaves code outside functions unchanged,
# such as byte orders and sizes. cosmic-ray starts a process for each mutant, which takes longer
# than running all vectors.
from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator, Mapping, Set
from typing import TypeVar

#: The name of the operator, and the node that replaces the original.
Change = tuple[str, ast.AST]

_COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
_CALLS = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "fullmatch": "match",
    "startswith": "endswith",
    "endswith": "startswith",
    "lstrip": "rstrip",
    "rstrip": "lstrip",
    "find": "rfind",
}
#: A ``struct`` format string: the byte order, then a letter for each number.
_LAYOUT = re.compile(r"[<>][0-9a-zA-Z]+")
_WIDTHS = {"B": "bH", "b": "B", "H": "hI", "h": "H", "I": "iHQ", "i": "I", "Q": "qI", "q": "Q"}
_BYTE_ORDERS = {"little": "big", "big": "little"}

#: The names of a format's fields and context keys.
Names = Set[str]
NodeT = TypeVar("NodeT", bound=ast.AST)


def changes(node: ast.AST, names: Names) -> Iterator[Change]:
    """Yield every change to a node, without modifying the node."""
    if isinstance(node, ast.Constant):
        yield from _constant(node, names)
    for kind, operator in _OPERATORS:
        if isinstance(node, kind):
            yield from operator(node)


def _with(node: NodeT, **fields: object) -> NodeT:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _comparison(node: ast.Compare) -> Iterator[Change]:
    for at, operator in enumerate(node.ops):
        for other in _COMPARISONS[type(operator)]:
            yield "comparison", _with(node, ops=[*node.ops[:at], other(), *node.ops[at + 1 :]])


def _constant(node: ast.Constant, names: Names) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", _with(node, value=not value)
    elif isinstance(value, int):
        yield "constant", _with(node, value=value + 1)
        yield "constant", _with(node, value=value - 1)
    elif isinstance(value, bytes) and value:
        yield "constant", _with(node, value=bytes([value[0] ^ 1]) + value[1:])
        if len(value) > 1:
            yield "constant", _with(node, value=value[:-1] + bytes([value[-1] ^ 1]))
    elif isinstance(value, str):
        for operator, text in _texts(value, names):
            yield operator, _with(node, value=text)


def _texts(value: str, names: Names) -> Iterator[tuple[str, str]]:
    if value in _BYTE_ORDERS:
        yield "byte-order", _BYTE_ORDERS[value]
    elif value in names:
        yield "name", f"{value}_"
    elif _LAYOUT.fullmatch(value):
        yield "byte-order", value.translate(str.maketrans("<>", "><"))
        for at, letter in enumerate(value):
            for other in _WIDTHS.get(letter, ""):
                yield "width", value[:at] + other + value[at + 1 :]


def _arithmetic(node: ast.BinOp) -> Iterator[Change]:
    texts = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple)
    is_text = any(
        isinstance(side, texts) and not isinstance(getattr(side, "value", ""), int)
        for side in (node.left, node.right)
    )
    if is_text and isinstance(node.op, ast.Add):
        yield "arithmetic", node.left
        yield "arithmetic", node.right
    elif type(node.op) in _ARITHMETIC and not is_text:
        yield "arithmetic", _with(node, op=_ARITHMETIC[type(node.op)]())


def _sign(node: ast.UnaryOp) -> Iterator[Change]:
    yield ("negation" if isinstance(node.op, ast.Not) else "arithmetic"), node.operand


def _operand(node: ast.BoolOp) -> Iterator[Change]:
    for at in range(len(node.values)):
        rest = [*node.values[:at], *node.values[at + 1 :]]
        yield "dropped-check", rest[0] if len(rest) == 1 else _with(node, values=rest)


def _condition(test: ast.expr, is_loop: bool = False) -> Iterator[tuple[str, ast.expr]]:
    """Yield changed conditions. Loops are not given ``True``, because they would not end."""
    inverted = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
    is_inverted_elsewhere = (
        isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], inverted)
    ) or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))
    if not is_inverted_elsewhere:
        yield "negation", ast.UnaryOp(ast.Not(), test)
    yield "dropped-check", ast.Constant(False)
    if not is_loop:
        yield "dropped-check", ast.Constant(True)


def _branch(node: ast.If | ast.IfExp) -> Iterator[Change]:
    for operator, test in _condition(node.test):
        yield operator, _with(node, test=test)


def _loop(node: ast.While) -> Iterator[Change]:
    if not isinstance(node.test, ast.Constant):
        for operator, test in _condition(node.test, is_loop=True):
            yield operator, _with(node, test=test)


def _filter(node: ast.comprehension) -> Iterator[Change]:
    for at, test in enumerate(node.ifs):
        for operator, other in _condition(test):
            yield operator, _with(node, ifs=[*node.ifs[:at], other, *node.ifs[at + 1 :]])


def _bounds(node: ast.Slice) -> Iterator[Change]:
    for name in ("lower", "upper"):
        bound = getattr(node, name)
        if bound is None:
            continue
        yield "slice", _with(node, **{name: None})
        if not isinstance(bound, ast.Constant):
            for operator in (ast.Add(), ast.Sub()):
                other = ast.BinOp(bound, operator, ast.Constant(1))
                yield "slice", _with(node, **{name: other})


def _call(node: ast.Call) -> Iterator[Change]:
    function = node.func
    if isinstance(function, ast.Name):
        if function.id == "sorted":
            yield "call", _with(node, func=_with(function, id="list"), keywords=[])
        elif function.id in _CALLS:
            yield "call", _with(node, func=_with(function, id=_CALLS[function.id]))
    elif isinstance(function, ast.Attribute) and function.attr in _CALLS:
        yield "call", _with(node, func=_with(function, attr=_CALLS[function.attr]))


def _in_place(node: ast.AugAssign) -> Iterator[Change]:
    is_text = isinstance(node.value, (ast.List, ast.Tuple, ast.JoinedStr))
    if type(node.op) in _ARITHMETIC and not is_text:
        yield "arithmetic", _with(node, op=_ARITHMETIC[type(node.op)]())


def _statement(node: ast.stmt) -> Iterator[Change]:
    if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(node)):
        # The unreachable ``yield`` keeps the function a generator.
        yield "removed-statement", ast.If(ast.Constant(False), [node], [])
    else:
        yield "removed-statement", ast.Pass()


_REMOVABLE = (ast.Expr, ast.AugAssign, ast.Assign, ast.AnnAssign, ast.Return, ast.Continue,
             ast.Break, ast.Raise, ast.Delete)  # fmt: skip

_Operator = Callable[..., Iterator[Change]]
_OPERATORS: tuple[tuple[type[ast.AST] | tuple[type[ast.AST], ...], _Operator], ...] = (
    (ast.Compare, _comparison),
    (ast.BinOp, _arithmetic),
    (ast.UnaryOp, _sign),
    (ast.BoolOp, _operand),
    ((ast.If, ast.IfExp), _branch),
    (ast.While, _loop),
    (ast.comprehension, _filter),
    (ast.Slice, _bounds),
    (ast.Call, _call),
    (ast.AugAssign, _in_place),
    (_REMOVABLE, _statement),
)
