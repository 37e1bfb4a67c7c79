"""Find the questions that can distinguish a mutant from the original.

Most survivors change a comparison or a constant. Thousands of questions evaluate the changed
expression, but its value is the same as before in each of them. One run of the original with probes
finds these questions, so that mutants need not run them (weak mutation testing).
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from lab.mutants.choice import family_of, sources_of
from lab.mutants.loading import codes_of, formats_in, load_modules
from lab.mutants.questions import Question, ask
from lab.mutants.sites import Mutant, Name

#: Nodes without side effects, which a probe may therefore evaluate a second time.
_PURE = (
    ast.Attribute, ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.IfExp, ast.Name, ast.Slice,
    ast.Subscript, ast.Tuple, ast.UnaryOp, ast.Load, ast.boolop, ast.cmpop, ast.operator,
    ast.unaryop,
)  # fmt: skip
_PURE_CALLS = frozenset(["abs", "bool", "int", "isinstance", "len", "max", "min"])
_PURE_METHODS = frozenset(
    ["bit_count", "endswith", "find", "from_bytes", "rfind", "startswith", "to_bytes"]
)
_PLAIN = (bool, bytes, float, int, str, type(None))
_PROBES = "_mutant_probes"


class WrongOriginal(Exception):
    """The unchanged executable specification gives a wrong answer."""


@dataclass(frozen=True)
class Reached:
    """The questions whose answers each mutant can change, and the CPU time of every question."""

    by_mutant: Mapping[Name, Set[int]]
    seconds: Sequence[float]

    def questions(self, mutant: Mutant) -> Set[int]:
        """Return the numbers of the questions that can distinguish a mutant from the original."""
        if mutant.at_import:
            return set(range(len(self.seconds)))
        return self.by_mutant.get(mutant.name, frozenset())


def reached(
    format_id: str, mutants: Sequence[Mutant], questions: Sequence[Question], scratch: Path
) -> Reached:
    """Run all questions on the original with probes. Raises :class:`WrongOriginal`."""
    family, probes = family_of(format_id), Probes(mutants)
    codes = {name: code for each in family for name, code in codes_of(each).items()}
    for name, path in sources_of(format_id).items():
        if any(mutant.path == path for mutant in probes.mutants):
            codes[name] = probes.code(path)
    modules = load_modules(codes, {_PROBES: probes})
    formats = formats_in(modules, family)
    by_mutant: dict[Name, set[int]] = {}
    seconds = []
    for number, question in enumerate(questions):
        _empty_caches(modules.values())
        probes.reset()
        started = time.process_time()
        wrong = ask(question, formats[question.format_id], scratch)
        if wrong is not None:
            raise WrongOriginal(f"{question.id}: {wrong}")
        seconds.append(time.process_time() - started)
        for mutant in probes.found():
            by_mutant.setdefault(mutant.name, set()).add(number)
    return Reached(by_mutant, seconds)


def _empty_caches(modules: Iterable[ModuleType]) -> None:
    """Clear all caches, so that a question runs the same code as in a new process."""
    for module in modules:
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


class Probes:
    """Record which mutants would have had an effect since the last reset."""

    def __init__(self, mutants: Sequence[Mutant]) -> None:
        self.mutants = [mutant for mutant in mutants if not mutant.at_import]
        #: For each mutant, 1 if its statement ran or its expression would have had another value.
        self.is_found = bytearray(len(self.mutants))
        #: For each probe, the numbers of its mutants.
        self.numbers: list[list[int]] = []
        #: For each probe, 1 if all of its mutants have been found.
        self.is_done = bytearray()

    def reset(self) -> None:
        """Forget which mutants were found."""
        self.is_found = bytearray(len(self.mutants))
        self.is_done[:] = bytes(len(self.numbers))

    def found(self) -> list[Mutant]:
        """Return the mutants that would have had an effect."""
        return [mutant for mutant, found in zip(self.mutants, self.is_found, strict=True) if found]

    def reach(self, probe: int) -> None:
        """Mark the mutants of a statement that runs as found."""
        for number in self.numbers[probe]:
            self.is_found[number] = 1
        self.is_done[probe] = 1

    def compare(self, probe: int, value: Any, others: Sequence[Callable[[], Any]]) -> Any:
        """Mark the mutants that change the value of an expression as found; return ``value``."""
        numbers = self.numbers[probe]
        for number, other in zip(numbers, others, strict=True):
            if not self.is_found[number] and _differs(value, other):
                self.is_found[number] = 1
        self.is_done[probe] = all(self.is_found[number] for number in numbers)
        return value

    def code(self, path: Path) -> CodeType:
        """Compile a module with probes for its mutants."""
        chosen = [pair for pair in enumerate(self.mutants) if pair[1].path == path]
        tree = chosen[0][1].tree
        parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        copies = copy.deepcopy(tree)
        copied = dict(zip(ast.walk(tree), ast.walk(copies), strict=True))
        statements: dict[ast.AST, list[int]] = {}
        values: dict[ast.AST, list[tuple[int, ast.expr]]] = {}
        tests = set()
        for number, mutant in chosen:
            change = _changed_expression(mutant, parents)
            if change is None:
                statements.setdefault(copied[mutant.statement], []).append(number)
            else:
                place, other = change
                values.setdefault(copied[place], []).append((number, other))
                if _is_test(place, parents[place]):
                    tests.add(copied[place])
        _Insertion(self, statements, values, tests).visit(copies)
        ast.fix_missing_locations(copies)
        return compile(copies, str(path), "exec")

    def new_probe(self, numbers: list[int]) -> int:
        """Add a probe for some mutants; return its number."""
        self.numbers.append(numbers)
        self.is_done.append(0)
        return len(self.numbers) - 1


def _differs(value: Any, other: Callable[[], Any]) -> bool:
    try:
        changed = other()
    except Exception:  # the mutant raises this exception
        return True
    is_plain = type(value) is type(changed) and isinstance(value, _PLAIN)
    return value is not changed and not (is_plain and value == changed)


def _changed_expression(
    mutant: Mutant, parents: Mapping[ast.AST, ast.AST]
) -> tuple[ast.expr, ast.expr] | None:
    """Return the largest changed expression that a probe can evaluate, and its changed form.

    Return None if there is no such expression.
    """
    old, new = mutant.old, mutant.new
    if isinstance(old, (ast.If, ast.IfExp, ast.While)):
        assert isinstance(new, (ast.If, ast.IfExp, ast.While))
        return _changed_test(old.test, new.test)
    if isinstance(old, ast.comprehension):
        assert isinstance(new, ast.comprehension)
        (pair,) = [(a, b) for a, b in zip(old.ifs, new.ifs, strict=True) if a is not b]
        return _changed_test(*pair)
    place, node = None, old
    while _is_pure(node) and isinstance(node, ast.expr):
        parent = parents[node]
        is_function = isinstance(parent, ast.Call) and parent.func is node
        if not isinstance(node, ast.Slice) and not is_function:
            place = node
        node = parent
    if place is None or isinstance(parents[place], ast.pattern):
        return None
    if place is old:
        other = new
    else:
        with mutant.applied():
            other = copy.deepcopy(place)
    assert isinstance(other, ast.expr)
    return (place, other) if _is_pure(other) else None


def _changed_test(test: ast.expr, other: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    return (test, other) if _is_pure(test) and _is_pure(other) else None


def _is_pure(node: ast.AST) -> bool:
    """Return whether an expression can be evaluated a second time without side effects."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in _PURE_CALLS and all(map(_is_pure, node.args)) and not node.keywords
        case ast.Call(func=ast.Attribute(attr=name, value=value)):
            return name in _PURE_METHODS and all(map(_is_pure, [value, *node.args]))
    return isinstance(node, _PURE) and all(map(_is_pure, ast.iter_child_nodes(node)))


def _is_test(node: ast.AST, parent: ast.AST) -> bool:
    return getattr(parent, "test", None) is node or node in getattr(parent, "ifs", ())


@dataclass
class _Insertion(ast.NodeTransformer):
    """Insert probes for statements and expressions."""

    probes: Probes
    statements: Mapping[ast.AST, list[int]]
    values: Mapping[ast.AST, list[tuple[int, ast.expr]]]
    #: Expressions whose truth value alone matters, such as conditions.
    tests: Set[ast.AST]

    def visit(self, node: ast.AST) -> Any:
        """Return a node with probes for it and for the nodes inside it."""
        self.generic_visit(node)
        if node in self.statements:
            probe = self.probes.new_probe(self.statements[node])
            # _mutant_probes.is_done[probe] or _mutant_probes.reach(probe)
            reach = _call("reach", ast.Constant(probe))
            return [ast.Expr(ast.BoolOp(ast.Or(), [_is_done(probe), reach])), node]
        if node in self.values:
            assert isinstance(node, ast.expr)
            probe = self.probes.new_probe([number for number, _ in self.values[node]])
            value, others = node, [other for _, other in self.values[node]]
            if node in self.tests:
                value, others = _truth(value), list(map(_truth, others))
            # The generated expression is ``value if _mutant_probes.is_done[probe] else
            # _mutant_probes.compare(probe, value, (lambda: other, …))``.
            lambdas = [ast.Lambda(_NO_ARGUMENTS, other) for other in others]
            compared = _call(
                "compare", ast.Constant(probe), value, ast.Tuple([*lambdas], ast.Load())
            )
            return ast.IfExp(_is_done(probe), value, compared)
        return node


_NO_ARGUMENTS = ast.arguments([], [], None, [], [], None, [])


def _truth(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), node))


def _is_done(probe: int) -> ast.expr:
    return ast.Subscript(_attribute("is_done"), ast.Constant(probe), ast.Load())


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_attribute(name), [*arguments], [])


def _attribute(name: str) -> ast.expr:
    return ast.Attribute(ast.Name(_PROBES, ast.Load()), name, ast.Load())
