"""Rewrite a generated Python parser so that it releases objects after reading them.

Each type gets a generator ``_steps``. The generator yields ``(name, object)`` before it reads an
object in the field ``name``. It yields ``name`` after it has read a field or an array element. An
array keeps only its last element, unless an expression of the grammar uses the other elements.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

_IMPORT = "from conformance.kaitai.in_steps import Last\n"


class Last:
    """A list of which only the length and the last element are used."""

    __slots__ = ("_count", "_last")

    def __init__(self) -> None:
        self._count = 0
        self._last: Any = None

    def append(self, value: Any) -> None:
        """Add a value and release the previous value."""
        self._count += 1
        self._last = value

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int) -> Any:
        if not self._count or at not in (-1, self._count - 1):
            raise IndexError(at)
        return self._last


def rewritten(source: str) -> str:
    """Return the source of a parser that was generated with ``debug``, with ``_steps`` added."""
    tree = ast.parse(source)
    keeps = _looked_up(tree)
    for type in [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]:
        for node in [member for member in type.body if isinstance(member, ast.FunctionDef)]:
            if node.name == "_read":
                steps = _Steps(keeps).visit(copy.deepcopy(node))
                steps.name = "_steps"
                steps.body.append(ast.parse("yield from ()").body[0])  # if nothing is read
                type.body.append(steps)
    return _IMPORT + ast.unparse(ast.fix_missing_locations(tree))


def _looked_up(tree: ast.Module) -> set[str]:
    """Return names of attributes with other uses than ``len``, ``append`` and ``[-1]``."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    used: set[str] = set()
    for function in functions:
        if function.name == "_fetch_instances":  # never called
            continue
        harmless = {
            id(array) for node in ast.walk(function) if (array := _harmless(node)) is not None
        }
        used |= {
            node.attr
            for node in ast.walk(function)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and id(node) not in harmless
        }
    return used


def _harmless(node: ast.AST) -> ast.expr | None:
    """Return the array of a ``len``, an ``append`` or a ``[-1]`` node, otherwise None."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "len":
        return node.args[0]
    if isinstance(node, ast.Attribute) and node.attr == "append":
        return node.value
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "-1":
        return node.value
    return None


class _Steps(ast.NodeTransformer):
    """Rewrites a ``_read`` method. Its statements are visited in order."""

    def __init__(self, keeps: set[str]) -> None:
        self._keeps = keeps
        self._name = ""  # of the current field
        self._is_array = False

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        """Store the name of a field at its start, and add a yield at its end."""
        target = ast.unparse(node.targets[0])
        if target.startswith("self._debug["):
            key = ast.literal_eval(target.rpartition("[")[2].removesuffix("]"))
            if key == "start":
                self._name, self._is_array = target.split("'")[1], False
            elif key == "arr":
                self._is_array = True
                node.value = _expression("Last()")
            elif key == "end" and ("['arr']" in target or not self._is_array):
                return [node, ast.Expr(_expression(f"(yield {self._name!r})"))]
        elif ast.unparse(node.value) == "[]" and target.removeprefix("self.") not in self._keeps:
            node.value = _expression("Last()")
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Replace the read of an object by a yield."""
        call = node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("._read"):
            read = ast.unparse(call.func).removesuffix("._read")
            return ast.Expr(_expression(f"(yield ({self._name!r}, {read}))"))
        return node


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body
