"""Which values an expression of a grammar may have: linear forms, and what is known of them.

An expression becomes a number of paths, one for each way through its ``?:``. A path is a linear
form, ``constant + sum of coefficient * name``, and facts: forms that are not negative there. Names
are those of fields; a value instance is replaced by what it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.kaitai.types import Type, Types
from walproof.parsers.lint.expression import COMPARISONS, Node, NoExpression, parse

_INTEGERS = {f"{sign}{width}": (sign, 8 * width) for sign in "us" for width in (1, 2, 4, 8)}
_PATHS, _DEPTH, _FACTS = 32, 8, 3
"""Beyond so many paths, so deep a nesting and so many facts in a row nothing is said."""


@dataclass(frozen=True)
class Linear:
    """``constant`` plus the terms, by name."""

    constant: int = 0
    terms: Mapping[str, int] = field(default_factory=dict)

    def plus(self, other: Linear, factor: int = 1) -> Linear:
        """``self + factor * other``."""
        terms = dict(self.terms)
        for name, times in other.terms.items():
            terms[name] = terms.get(name, 0) + factor * times
        left = {name: times for name, times in terms.items() if times}
        return Linear(self.constant + factor * other.constant, left)


@dataclass(frozen=True)
class Path:
    """One way through an expression; ``facts`` are forms that are zero or more there."""

    value: Linear
    facts: tuple[Linear, ...] = ()


class TooMany(Exception):
    """An expression with more ways through it than are followed."""


class Numbers:
    """The numbers of a grammar. ``lowest`` and ``highest`` hold the bounds of the names seen.

    Without ``expand`` a value instance is a name of its own, of which a condition may say something
    that cannot be said of each way through it.
    """

    def __init__(self, types: Types, expand: bool = True) -> None:
        self.types = types
        self.expand = expand
        self.lowest: dict[str, int] = {}
        self.highest: dict[str, int] = {}
        self.held: dict[str, list[Linear]] = {}
        """What ``valid`` says of a name, as forms that are zero or more."""

    def paths(self, text: str, owner: Type) -> list[Path]:
        """The ways through an expression. Raises ``NoExpression`` and :class:`TooMany`."""
        return self._paths(parse(text), owner, "", 0)

    def facts(self, text: str, owner: Type) -> list[Linear]:
        """What is not negative where a condition holds; nothing if it is not understood."""
        try:
            return self._truths(parse(text), True, owner, "", 0)
        except (NoExpression, TooMany):
            return []

    def is_never_negative(self, value: Linear, facts: tuple[Linear, ...], depth: int = 0) -> bool:
        """Whether a form is zero or more, by the bounds of its names and by the facts."""
        low = value.constant
        for name, times in value.terms.items():
            bound = (self.lowest if times > 0 else self.highest).get(name)
            if bound is None:
                break
            low += times * bound
        else:
            if low >= 0:
                return True
        return depth < _FACTS and any(
            self.is_never_negative(value.plus(fact, -1), facts, depth + 1)
            for fact in facts
            if set(fact.terms) & set(value.terms)
        )

    def all_facts(self, path: Path, more: list[Linear]) -> tuple[Linear, ...]:
        """The facts of a path, those besides, and what ``valid`` and streams promise of names."""
        names = set(path.value.terms)
        for fact in (*path.facts, *more):
            names |= set(fact.terms)
        found = [*path.facts, *more]
        for name in names:
            found += self.held.get(name, ())
            if name.endswith("_io.pos"):  # a stream is not read beyond its end
                found.append(Linear(0, {name.removesuffix("pos") + "size": 1, name: -1}))
                self.lowest.setdefault(name.removesuffix("pos") + "size", 0)
        return tuple(found)

    # -- values ------------------------------------------------------------------------------

    def _paths(self, node: Node, owner: Type, base: str, depth: int) -> list[Path]:
        if depth > _DEPTH:
            return [Path(self._opaque(f"{base}{show(node)}"))]
        if node.kind == "number":
            return [Path(Linear(int(node.value)))]
        if node.kind == "cast" and str(node.value) in _INTEGERS:
            return self._paths(node.parts[0], owner, base, depth)
        if node.kind == "?":
            return self._of_ternary(node, owner, base, depth)
        if node.kind in ("+", "-", "*", "unary -"):
            return self._of_sum(node, owner, base, depth)
        if node.kind in ("/", "%", ">>", "<<", "&", "|", "^"):
            return [Path(self._of_operator(node, owner, base, depth))]
        if node.kind in ("name", "member"):
            return self._of_name(node, owner, base, depth)
        return [Path(self._opaque(f"{base}{show(node)}"))]

    def _of_ternary(self, node: Node, owner: Type, base: str, depth: int) -> list[Path]:
        condition, *branches = node.parts
        found = []
        for holds, branch in zip((True, False), branches, strict=True):
            truths = tuple(self._truths(condition, holds, owner, base, depth))
            for path in self._paths(branch, owner, base, depth):
                found.append(Path(path.value, path.facts + truths))
        return _few(found)

    def _of_sum(self, node: Node, owner: Type, base: str, depth: int) -> list[Path]:
        if node.kind == "unary -":
            inner = self._paths(node.parts[0], owner, base, depth)
            return [Path(Linear().plus(path.value, -1), path.facts) for path in inner]
        left, right = (self._paths(part, owner, base, depth) for part in node.parts)
        found = []
        for one in left:
            for other in right:
                facts = one.facts + other.facts
                if node.kind != "*":
                    value = one.value.plus(other.value, 1 if node.kind == "+" else -1)
                elif not other.value.terms:
                    value = Linear().plus(one.value, other.value.constant)
                elif not one.value.terms:
                    value = Linear().plus(other.value, one.value.constant)
                else:
                    both = [self._lowest(each.value) for each in (one, other)]
                    value = self._opaque(f"{base}{show(node)}", 0 if None not in both else None)
                found.append(Path(value, facts))
        return _few(found)

    def _of_operator(self, node: Node, owner: Type, base: str, depth: int) -> Linear:
        """A name of its own for a result; it is not negative if the operands are not."""
        sides = [self._paths(part, owner, base, depth) for part in node.parts]
        if node.kind == "&" and any(
            len(side) == 1 and not side[0].value.terms and side[0].value.constant >= 0
            for side in sides
        ):
            return self._opaque(f"{base}{show(node)}", 0)
        if node.kind in ("<<", ">>"):
            sides = sides[:1]
        sound = all(
            self.is_never_negative(path.value, self.all_facts(path, []))
            for side in sides
            for path in side
        )
        found = self._opaque(f"{base}{show(node)}", 0 if sound else None)
        divisor = node.parts[1]
        if node.kind == "%" and sound and divisor.kind == "number":
            self.highest[f"{base}{show(node)}"] = int(divisor.value) - 1
        return found

    def _lowest(self, value: Linear) -> int | None:
        return 0 if self.is_never_negative(value, ()) else None

    def _opaque(self, name: str, lowest: int | None = 0) -> Linear:
        """A name of which nothing is known but that it is not negative, if that is known."""
        if lowest is not None:
            self.lowest.setdefault(name, lowest)
        return Linear(0, {name: 1})

    # -- names -------------------------------------------------------------------------------

    def _of_name(self, node: Node, owner: Type, base: str, depth: int) -> list[Path]:
        place = self._type_of(node.parts[0], owner) if node.kind == "member" else owner
        name = str(node.value)
        outer = f"{base}{show(node.parts[0])}." if node.kind == "member" else base
        if place is None or name.startswith("_"):
            return [Path(self._opaque(f"{outer}{name}"))]
        instance = (place.body.get("instances") or {}).get(name, {})
        if "value" in instance and not self.expand:
            return [Path(self._opaque(f"{outer}{name}", None))]
        if "value" in instance:
            return self._paths(parse(str(instance["value"])), place, outer, depth + 1)
        member = instance or _member(place, name)
        return [Path(self._field(f"{outer}{name}", member, place, outer))]

    def _field(self, name: str, body: Mapping[str, Any], owner: Type, outer: str) -> Linear:
        """A field by its name; what its type and ``valid`` say of it is kept."""
        value = Linear(0, {name: 1})
        if name in self.lowest or name in self.held:
            return value
        kind = str(body.get("type", ""))[:2]
        sign, bits = _INTEGERS.get(kind, ("", 0))
        if sign == "u":
            self.highest[name] = (1 << bits) - 1
        if sign != "s" or "repeat" in body:
            self.lowest[name] = 0  # also what is unknown: parameters, fields of another grammar
        self.held[name] = list(self._valid(value, body.get("valid"), owner, outer))
        return value

    def _valid(self, value: Linear, valid: Any, owner: Type, outer: str) -> Iterator[Linear]:
        if not isinstance(valid, Mapping):
            valid = {} if valid is None else {"eq": valid}
        for key in ("eq", "min", "max"):
            if key not in valid:
                continue
            try:
                (bound,) = self._paths(parse(str(valid[key])), owner, outer, 1)
            except (NoExpression, TooMany, ValueError):
                continue
            if key in ("eq", "min"):
                yield value.plus(bound.value, -1)
            if key in ("eq", "max"):
                yield bound.value.plus(value, -1)
        numbers = [each for each in valid.get("any-of") or () if isinstance(each, int)]
        if numbers and len(numbers) == len(valid["any-of"]):
            yield value.plus(Linear(min(numbers)), -1)
        if "expr" in valid:
            try:
                truths = self._truths(parse(str(valid["expr"])), True, owner, outer, 1)
            except (NoExpression, TooMany):
                return
            for fact in truths:
                times = fact.terms.get(f"{outer}_", 0)
                rest = {one: n for one, n in fact.terms.items() if one != f"{outer}_"}
                yield Linear(fact.constant, rest).plus(value, times)

    def _type_of(self, node: Node, owner: Type) -> Type | None:
        """The type of the object that an expression leads to, if it is known."""
        if node.kind == "cast":
            return self.types.resolve(str(node.value), owner)
        if node.kind == "name" and node.value == "_root":
            return self.types.types.get(owner.name.split(".")[0])
        if node.kind == "index":
            return self._type_of(node.parts[0], owner)
        if node.kind not in ("name", "member"):
            return None
        place = self._type_of(node.parts[0], owner) if node.kind == "member" else owner
        if place is None:
            return None
        name = str(node.value)
        body = (place.body.get("instances") or {}).get(name) or _member(place, name)
        written = body.get("type")
        if not isinstance(written, str) or written[:2] in _INTEGERS:
            return None
        return self.types.resolve(written.partition("(")[0], place)

    # -- conditions --------------------------------------------------------------------------

    def _truths(self, node: Node, holds: bool, owner: Type, base: str, depth: int) -> list[Linear]:
        """The forms that are zero or more where a condition holds, or where it does not."""
        if depth > _DEPTH:
            return []
        if node.kind == "not":
            return self._truths(node.parts[0], not holds, owner, base, depth)
        if node.kind in ("and", "or"):
            if (node.kind == "and") != holds:
                return []
            return [
                fact
                for part in node.parts
                for fact in self._truths(part, holds, owner, base, depth)
            ]
        if node.kind == "?":
            return self._of_choice(node, holds, owner, base, depth)
        if node.kind in ("==", "!=") and str(node.parts[1].value) in ("true", "false"):
            same = (node.kind == "==") == (node.parts[1].value == "true")
            return self._truths(node.parts[0], holds == same, owner, base, depth)
        if node.kind in COMPARISONS:
            return self._compared(node, holds, owner, base, depth)
        if node.kind in ("name", "member"):
            place = self._type_of(node.parts[0], owner) if node.kind == "member" else owner
            outer = f"{base}{show(node.parts[0])}." if node.kind == "member" else base
            instance = ((place.body.get("instances") or {}) if place else {}).get(node.value, {})
            if place is not None and "value" in instance:
                inner = parse(str(instance["value"]))
                return self._truths(inner, holds, place, outer, depth + 1)
        return []

    def _of_choice(
        self, node: Node, holds: bool, owner: Type, base: str, depth: int
    ) -> list[Linear]:
        """``p ? q : false`` is ``p and q``, and so on: one branch is told to be the other truth."""
        condition, yes, no = node.parts
        for taken, other, asked in ((yes, no, True), (no, yes, False)):
            if other.kind == "name" and other.value == ("false" if holds else "true"):
                return self._truths(condition, asked, owner, base, depth) + self._truths(
                    taken, holds, owner, base, depth
                )
        return []

    def _compared(
        self, node: Node, holds: bool, owner: Type, base: str, depth: int
    ) -> list[Linear]:
        left, right = (self._paths(part, owner, base, depth) for part in node.parts)
        if len(left) > 1 or len(right) > 1:
            return []
        more = left[0].value.plus(right[0].value, -1)  # left - right
        less = Linear().plus(more, -1)
        one = Linear(1)
        sign = node.kind if holds else _OPPOSITE[node.kind]
        return {
            ">=": [more],
            ">": [more.plus(one, -1)],
            "<=": [less],
            "<": [less.plus(one, -1)],
            "==": [more, less],
            "!=": [],
        }[sign]


_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}


def _member(owner: Type, name: str) -> Mapping[str, Any]:
    for key in ("seq", "params"):
        for one in owner.body.get(key) or ():
            if one.get("id") == name:
                return dict(one) if key == "seq" else {}
    return {}


def _few(paths: list[Path]) -> list[Path]:
    if len(paths) > _PATHS:
        raise TooMany
    return paths


def show(node: Node) -> str:
    """An expression as text, without the casts that widen numbers."""
    parts = [show(part) for part in node.parts]
    if node.kind in ("number", "name", "text"):
        return str(node.value)
    if node.kind == "cast":
        wide = str(node.value) in _INTEGERS
        return parts[0] if wide else f"{parts[0]}.as<{node.value}>"
    if node.kind == "member":
        return f"{parts[0]}.{node.value}"
    if node.kind == "index":
        return f"{parts[0]}[{parts[1]}]"
    if node.kind == "?":
        return f"({parts[0]} ? {parts[1]} : {parts[2]})"
    if node.kind == "call":
        return f"{parts[0]}({', '.join(parts[1:])})"
    if len(parts) == 1:
        return f"{node.kind.removeprefix('unary ')} {parts[0]}"
    return f"({f' {node.kind} '.join(parts)})"


def show_linear(value: Linear) -> tuple[str, str]:
    """The two sides of a difference: what is added, and what is taken away; ``0`` for nothing."""
    sides: tuple[list[str], list[str]] = ([], [])
    for name, times in value.terms.items():
        factor = "" if abs(times) == 1 else f"{abs(times)} * "
        sides[times < 0].append(f"{factor}{name}")
    if value.constant:
        sides[value.constant < 0].append(str(abs(value.constant)))
    added, taken = (" + ".join(side) or "0" for side in sides)
    return added, taken
