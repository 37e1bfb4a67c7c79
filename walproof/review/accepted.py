"""Which values a field accepts: ``valid``, ``contents`` and ``in-enum``, as sets where possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from walproof.review.expression import Canon, is_integer
from walproof.review.resolved import Node


@dataclass(frozen=True)
class Accepted:
    """A set of values: those listed, all integers of a range, or what rules let through.

    Everything is accepted when nothing is given. ``rules`` are canonical expressions whose effect
    cannot be told without data; more rules accept less.
    """

    values: frozenset[Any] | None = None
    low: float = -math.inf
    high: float = math.inf
    rules: frozenset[Canon] = frozenset()

    @property
    def everything(self) -> bool:
        """Whether no value is refused."""
        return self == Accepted()

    def within(self, other: Accepted) -> bool:
        """Whether everything that is accepted here is certainly accepted there."""
        if not other.rules <= self.rules:
            return False
        if self.values is not None:
            return all(other.lets(value) for value in self.values)
        if other.values is not None:
            return False
        return other.low <= self.low and self.high <= other.high

    def lets(self, value: Any) -> bool:
        """Whether a value passes all but the rules."""
        if self.values is not None and value not in self.values:
            return False
        if isinstance(value, int):
            return self.low <= value <= self.high
        return self.low == -math.inf and self.high == math.inf

    def shown(self) -> str:
        """In words."""
        parts = []
        if self.values is not None:
            parts.append(", ".join(sorted(map(_show, self.values))) or "nothing")
        if (self.low, self.high) != (-math.inf, math.inf):
            low = "" if self.low == -math.inf else f"{self.low:g} ≤ "
            high = "" if self.high == math.inf else f" ≤ {self.high:g}"
            parts.append(f"{low}value{high}")
        if self.rules:
            parts.append("an expression")
        return " and ".join(parts) or "every value"


def accepted(
    valid: Node, canon: Callable[[Node], Canon], enum: Mapping[int, str] | None
) -> Accepted:
    """The set that a ``valid`` (or ``contents``) of the compiler's model describes."""
    if valid is None:
        return Accepted()
    kind = valid["_"]
    if kind == "ValidationEq":
        return _listed([canon(valid["value"])])
    if kind == "ValidationAnyOf":
        return _listed([canon(value) for value in valid["values"]])
    if kind in ("ValidationMin", "ValidationMax", "ValidationRange"):
        return _range(
            canon(valid["min"]) if "min" in valid else None,
            canon(valid["max"]) if "max" in valid else None,
        )
    if kind == "ValidationInEnum" and enum is not None:
        return Accepted(frozenset(enum))
    if kind == "ValidationExpr":
        return _expression(canon(valid["checkExpr"]))
    return Accepted(rules=frozenset([(kind,)]))


def _listed(values: list[Canon]) -> Accepted:
    constants = [_constant(value) for value in values]
    if None in constants:
        return Accepted(rules=frozenset([("any of", *sorted(values, key=repr))]))
    return Accepted(frozenset(constants))


def _range(low: Canon | None, high: Canon | None) -> Accepted:
    bounds, rules = [-math.inf, math.inf], []
    for side, bound in enumerate((low, high)):
        if bound is not None and is_integer(bound):
            bounds[side] = bound[1]
        elif bound is not None:
            rules.append(("bound", side, bound))
    return Accepted(low=bounds[0], high=bounds[1], rules=frozenset(rules))


def _expression(rule: Canon) -> Accepted:
    """``_ <= 3 and _ != 1`` as a range where it is one; else a rule."""
    found = Accepted()
    for part in rule[1:] if rule[0] == "And" else (rule,):
        bound = _bound(part)
        if bound is None:
            found = Accepted(found.values, found.low, found.high, found.rules | {part})
        else:
            low, high = max(found.low, bound[0]), min(found.high, bound[1])
            found = Accepted(found.values, low, high, found.rules)
    if rule[0] == "Or":
        values = [_bound(part) for part in rule[1:]]
        if all(bound is not None and bound[0] == bound[1] for bound in values):
            return Accepted(frozenset(int(bound[0]) for bound in values if bound))
    if found.low == found.high and not found.rules:
        return Accepted(frozenset([int(found.low)]))
    return found


def _bound(rule: Canon) -> tuple[float, float] | None:
    """The range that a comparison of ``_`` with a constant allows."""
    if rule[0] not in ("equal", "negative") or len(rule) != 2:
        return None
    constant, *terms = rule[1][1:] if rule[1][0] == "sum" else (0, (1, rule[1]))
    if len(terms) != 1 or terms[0][1] != ("name", "_") or abs(terms[0][0]) != 1:
        return None
    factor = terms[0][0]
    if rule[0] == "equal":  # factor * _ + constant == 0
        return (-constant * factor, -constant * factor)
    if factor == 1:  # _ + constant < 0
        return (-math.inf, -constant - 1)
    return (constant + 1, math.inf)


def _constant(value: Canon) -> Any:
    if is_integer(value) or value[0] in ("str", "bool", "enum"):
        return value[1]
    if value[0] == "List":  # contents
        elements = dict(value[1:]).get("elts", ())
        if all(is_integer(element) for element in elements):
            return bytes(element[1] & 0xFF for element in elements)
    return None


def _show(value: Any) -> str:
    return value.hex(" ") if isinstance(value, bytes) else repr(value)
