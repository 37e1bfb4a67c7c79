"""Find the places of a source file to change: all of its mutants, with names that survive edits."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType

from lab.mutants.operators import Vocabulary, changes

_WITHOUT_EFFECT = ("annotation", "returns", "decorator_list", "ctx")
"""Parts of a definition that say nothing about a log."""
_SKIPPED = (ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)
"""Assertions are for the type checker, formatted texts for people."""
_NAMES = frozenset({"__all__", "__slots__"})
_COMMENT = re.compile(r"  # .*$")
_SHOWN = 90


@dataclass(frozen=True, order=True)
class Name:
    """The name of a mutant: its function and change, without a line number.

    ``line`` is the text of the source line. ``number`` distinguishes mutants that are otherwise
    equal.
    """

    function: str
    operator: str
    line: str
    before: str
    after: str
    number: int = 0


@dataclass(frozen=True)
class Edit:
    """One change of a syntax tree: ``new`` in a field of ``parent``, or at a place in that list."""

    parent: ast.AST
    field: str
    at: int | None
    new: ast.AST

    def apply(self) -> ast.AST:
        """Change the tree; returns what was there."""
        old: ast.AST
        if self.at is None:
            old = getattr(self.parent, self.field)
            setattr(self.parent, self.field, self.new)
        else:
            children = getattr(self.parent, self.field)
            old, children[self.at] = children[self.at], self.new
        return old


@dataclass(frozen=True)
class Mutant:
    """A mutant of a source file.

    ``lines`` are the lines of the changed statement; the mutant differs from the original only if
    one of them runs. ``at_import`` is true if they run when the module is imported.
    """

    name: Name
    path: Path
    line: int
    lines: range
    at_import: bool
    edit: Edit = field(repr=False)
    statement: ast.stmt = field(repr=False)
    tree: ast.Module = field(repr=False)

    def code(self) -> CodeType:
        """Return the changed module.

        Raises ``SyntaxError`` if there is no such module, as with ``yield`` outside of a function.
        """
        original = self.edit.apply()
        try:
            ast.fix_missing_locations(self.tree)
            return compile(self.tree, str(self.path), "exec")
        finally:
            replace(self.edit, new=original).apply()

    @property
    def source(self) -> str:
        """The changed statement, of a compound one its first line; empty if it was removed."""
        if self.name.operator == "removed-statement":
            return ""
        old = self.edit.apply()
        changed = self.edit.new if old is self.statement else self.statement
        text = ast.unparse(changed).splitlines()[0]
        replace(self.edit, new=old).apply()
        return text


def mutants_of(path: Path, vocabulary: Vocabulary) -> list[Mutant]:
    """All mutants of a source file, in its order."""
    source = path.read_text("utf-8")
    tree = ast.parse(source)
    return list(_File(path, source.splitlines(), tree, vocabulary).mutants())


def functions_of(path: Path) -> dict[str, range]:
    """The lines of each function of a source file, by the name that its mutants have."""
    results: dict[str, range] = {}

    def walk(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                inner = f"{name}.{child.name}"
                if isinstance(child, ast.FunctionDef):
                    results[inner] = range(child.lineno, (child.end_lineno or child.lineno) + 1)
                walk(child, inner)

    walk(ast.parse(path.read_text("utf-8")), path.stem)
    return results


@dataclass(frozen=True)
class _Place:
    """The position of the walk: function, number of bindings of each name in it, statement."""

    function: str
    bound: Counter[str]
    statement: ast.stmt | None = None
    at_import: bool = True


class _File:
    def __init__(
        self, path: Path, lines: Sequence[str], tree: ast.Module, vocabulary: Vocabulary
    ) -> None:
        self.path = path
        self.lines = lines
        self.tree = tree
        self.vocabulary = vocabulary
        self.alike: Counter[Name] = Counter()

    def mutants(self) -> Iterator[Mutant]:
        place = _Place(self.path.stem, _bound(self.tree.body))
        return self._walk(self.tree, place)

    def _walk(self, node: ast.AST, place: _Place) -> Iterator[Mutant]:
        for name, value in ast.iter_fields(node):
            if name in _WITHOUT_EFFECT:
                continue
            children = enumerate(value) if isinstance(value, list) else [(None, value)]
            for at, child in children:
                if isinstance(child, ast.AST):
                    yield from self._at(child, node, name, at, place)

    def _at(
        self, node: ast.AST, parent: ast.AST, name: str, at: int | None, place: _Place
    ) -> Iterator[Mutant]:
        if isinstance(node, _SKIPPED) or _is_docstring(node) or _is_names(node):
            return
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{place.function}.{node.name}"
            at_import = place.at_import and isinstance(node, ast.ClassDef)
            place = _Place(inner, _bound(node.body, node), node, at_import)
            yield from self._walk(node, place)
            return
        if isinstance(node, ast.stmt):
            place = replace(place, statement=node)
        is_message = isinstance(place.statement, ast.Raise) and node is not place.statement
        if not is_message:
            yield from self._changed(node, Edit(parent, name, at, node), place)
        yield from self._walk(node, place)

    def _changed(self, node: ast.AST, edit: Edit, place: _Place) -> Iterator[Mutant]:
        statement = place.statement
        if statement is None:
            return
        lines = _header(statement)
        at_import = place.at_import or isinstance(statement, ast.FunctionDef)
        line = getattr(node, "lineno", lines[0])
        text = _COMMENT.sub("", self.lines[line - 1]).strip()
        seen = set()
        for operator, new in changes(node, self.vocabulary):
            if operator == "removed-statement" and (
                not _can_be_missed(node, place.bound) or _ends_anyway(node, edit)
            ):
                continue
            dumped = ast.dump(new)
            if dumped in seen:
                continue
            seen.add(dumped)
            called = Name(place.function, operator, text, *_shown(node, new, operator))
            number = self.alike[called]
            self.alike[called] += 1
            name = replace(called, number=number)
            edit = replace(edit, new=new)
            yield Mutant(name, self.path, line, lines, at_import, edit, statement, self.tree)


def _header(statement: ast.stmt) -> range:
    """The lines of a statement, of a compound one those before its body."""
    last = statement.end_lineno or statement.lineno
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        last = max(statement.lineno, body[0].lineno - 1)
    return range(statement.lineno, last + 1)


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_names(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id in _NAMES for target in node.targets
    )


def _bound(body: Sequence[ast.stmt], owner: ast.AST | None = None) -> Counter[str]:
    """Return how often each name is bound in a body; arguments of its owner count once."""
    results: Counter[str] = Counter()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                results[node.id] += 1
    if isinstance(owner, ast.FunctionDef):
        results.update(arg.arg for arg in ast.walk(owner.args) if isinstance(arg, ast.arg))
    return results


def _can_be_missed(node: ast.AST, bound: Counter[str]) -> bool:
    """Return whether a program without the statement still binds all of its names."""
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


def _ends_anyway(node: ast.AST, edit: Edit) -> bool:
    """Return whether a function ends without a return statement."""
    if not isinstance(node, ast.Return) or not isinstance(edit.parent, ast.FunctionDef):
        return False
    is_nothing = node.value is None or (
        isinstance(node.value, ast.Constant) and node.value.value is None
    )
    return is_nothing and edit.at == len(edit.parent.body) - 1


def _shown(node: ast.AST, new: ast.AST, operator: str) -> tuple[str, str]:
    """A change as people read it."""
    if operator == "removed-statement":
        return _text(node), "nothing"
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        assert isinstance(new, (ast.If, ast.IfExp, ast.While))
        return _text(node.test), _text(new.test)
    return _text(node), _text(new)


def _text(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
