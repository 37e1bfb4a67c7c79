"""Find all mutants of a source file. Their names remain valid when other code is edited."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType
from typing import cast

from lab.mutants.operators import Names, changes

#: Fields of syntax nodes that have no effect on reading and writing logs.
_WITHOUT_EFFECT = ("annotation", "returns", "decorator_list", "ctx")
#: Nodes that are not mutated. Assertions are for the type checker, and f-strings for people.
_SKIPPED = (ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)
_NAMES = frozenset({"__all__", "__slots__"})
_COMMENT = re.compile(r"  # .*$")
_SHOWN = 90


@dataclass(frozen=True, order=True)
class Name:
    """The name of a mutant. It gives the function and the change, but no line number."""

    function: str
    operator: str
    #: Text of the source line.
    line: str
    before: str
    after: str
    #: Number that distinguishes otherwise equal mutants.
    number: int = 0


@dataclass(frozen=True)
class Mutant:
    """A mutant of a source file. ``new`` replaces a node in the field ``slot`` of ``parent``."""

    name: Name
    path: Path
    line: int
    #: True if the change runs when the module is imported.
    at_import: bool
    tree: ast.Module = field(repr=False)
    statement: ast.stmt = field(repr=False)
    parent: ast.AST = field(repr=False)
    slot: str
    index: int | None
    new: ast.AST = field(repr=False)

    @property
    def old(self) -> ast.AST:
        """The node that ``new`` replaces."""
        holder = getattr(self.parent, self.slot)
        return cast(ast.AST, holder if self.index is None else holder[self.index])

    def code(self) -> CodeType:
        """Return the changed module.

        Raises ``SyntaxError`` if the module is invalid, as with ``yield`` outside of a function.
        """
        with self.applied():
            ast.fix_missing_locations(self.tree)
            return compile(self.tree, str(self.path), "exec")

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Change the tree, and restore it afterwards."""
        old = self._put(self.new)
        try:
            yield
        finally:
            self._put(old)

    def _put(self, node: ast.AST) -> ast.AST:
        holder = getattr(self.parent, self.slot)
        if self.index is None:
            setattr(self.parent, self.slot, node)
            return cast(ast.AST, holder)
        old, holder[self.index] = holder[self.index], node
        return cast(ast.AST, old)


@dataclass(frozen=True)
class _Scope:
    """The position of a walk through a module. ``bound`` counts how often each name is bound."""

    function: str
    bound: Counter[str]
    statement: ast.stmt | None = None
    at_import: bool = True


def mutants_of(path: Path, names: Names) -> list[Mutant]:
    """Return all mutants of a source file, in source order."""
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    lines = source.splitlines()
    alike: Counter[Name] = Counter()

    def walk(parent: ast.AST, scope: _Scope) -> Iterator[Mutant]:
        for name, value in ast.iter_fields(parent):
            if name in _WITHOUT_EFFECT:
                continue
            children = enumerate(value) if isinstance(value, list) else [(None, value)]
            for index, node in children:
                if not isinstance(node, ast.AST) or _is_skipped(node):
                    continue
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    at_import = scope.at_import and isinstance(node, ast.ClassDef)
                    inner = f"{scope.function}.{node.name}"
                    yield from walk(node, _Scope(inner, _bound(node.body, node), node, at_import))
                    continue
                here = replace(scope, statement=node) if isinstance(node, ast.stmt) else scope
                is_message = isinstance(here.statement, ast.Raise) and node is not here.statement
                if not is_message:
                    yield from changed(node, here, parent, name, index)
                yield from walk(node, here)

    def changed(
        node: ast.AST, scope: _Scope, parent: ast.AST, slot: str, index: int | None
    ) -> Iterator[Mutant]:
        statement = scope.statement
        if statement is None:
            return
        at_import = scope.at_import or isinstance(statement, ast.FunctionDef)
        line = getattr(node, "lineno", statement.lineno)
        text = _COMMENT.sub("", lines[line - 1]).strip()
        seen = set()
        for operator, new in changes(node, names):
            if operator == "removed-statement" and (
                not _can_be_missed(node, scope.bound) or _ends_anyway(node, parent, index)
            ):
                continue
            if (dumped := ast.dump(new)) in seen:
                continue
            seen.add(dumped)
            name = Name(scope.function, operator, text, *_shown(node, new, operator))
            alike[name] += 1
            yield Mutant(
                replace(name, number=alike[name] - 1), path, line, at_import, tree,
                statement, parent, slot, index, new,
            )  # fmt: skip

    return list(walk(tree, _Scope(path.stem, _bound(tree.body))))


def _is_skipped(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True  # a docstring
        case ast.Assign(targets=targets):
            return any(isinstance(t, ast.Name) and t.id in _NAMES for t in targets)
    return isinstance(node, _SKIPPED)


def _bound(body: Sequence[ast.stmt], owner: ast.AST | None = None) -> Counter[str]:
    """Count how often each name is bound in a body. Each argument counts once."""
    results: Counter[str] = Counter()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                results[node.id] += 1
    if isinstance(owner, ast.FunctionDef):
        results.update(arg.arg for arg in ast.walk(owner.args) if isinstance(arg, ast.arg))
    return results


def _can_be_missed(node: ast.AST, bound: Counter[str]) -> bool:
    """Return whether the names that a statement binds are also bound elsewhere."""
    if isinstance(node, ast.AnnAssign):
        return node.value is not None and not isinstance(node.target, ast.Name)
    if isinstance(node, ast.Assign):
        names = [
            name.id
            for target in node.targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        ]
        return all(bound[name] > 1 for name in names)
    return True


def _ends_anyway(node: ast.AST, parent: ast.AST, index: int | None) -> bool:
    """Return whether the node is a bare return at the end of a function."""
    match node:
        case ast.Return(value=None | ast.Constant(value=None)):
            return isinstance(parent, ast.FunctionDef) and index == len(parent.body) - 1
    return False


def _shown(node: ast.AST, new: ast.AST, operator: str) -> tuple[str, str]:
    if operator == "removed-statement":
        return _text(node), "nothing"
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        assert isinstance(new, (ast.If, ast.IfExp, ast.While))
        return _text(node.test), _text(new.test)
    return _text(node), _text(new)


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
