"""JSON schemas compiled to plain functions: most values are valid, and to see that must be quick.

A function says only that a value is certainly valid. Whatever it does not take goes to the
validator of jsonschema, which decides, and has the words for what is wrong. So every keyword here
may be stricter than its definition, and none may be laxer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Check = Callable[[Any], bool]
Json = Mapping[str, Any]

HEX = r"^([0-9a-f]{2})*$"
"""The pattern of bytes in hexadecimal, which as it stands takes its time on long payloads."""

_ANNOTATIONS = frozenset({"$schema", "$id", "$defs", "title", "description", "default", "format"})
_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: type(value) is dict,
    "array": lambda value: type(value) is list,
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) is int or type(value) is float,
    "boolean": lambda value: type(value) is bool,
    "null": lambda value: value is None,
}


class NotCompiled(ValueError):
    """A schema with a keyword that is not known here."""


def compiled(schema: Json, others: Mapping[str, Json] | None = None) -> Check:
    """The function of a schema. ``others`` are schemas by the names that a ``$ref`` may use.

    Raises :class:`NotCompiled`.
    """
    return _Compiler(schema, others or {}).check_of(schema)


def certainly(check: Check, value: Any) -> bool:
    """Whether a value is certainly valid; one that nests beyond all bounds is not."""
    try:
        return check(value)
    except RecursionError:
        return False


class _Compiler:
    """Makes the functions of one schema and of those that it refers to."""

    def __init__(self, root: Json, others: Mapping[str, Json]) -> None:
        self.root = root
        self.others = others
        self.made: dict[str, Check] = {}

    def check_of(self, schema: Json | bool) -> Check:
        if isinstance(schema, bool):
            return lambda value: schema
        if unknown := set(schema) - _ANNOTATIONS - set(_KEYWORDS) - _TOGETHER:
            raise NotCompiled(f"no function for {', '.join(sorted(unknown))}")
        checks = [
            _KEYWORDS[name](self, value) for name, value in schema.items() if name in _KEYWORDS
        ]
        if {"properties", "additionalProperties"} & set(schema):
            checks.append(self._properties(schema))
        if "if" in schema:
            checks.append(self._if(schema))
        if len(checks) == 1:
            return checks[0]
        if len(checks) == 2:
            first, second = checks
            return lambda value: first(value) and second(value)
        return _all(checks)

    def _properties(self, schema: Json) -> Check:
        known = {name: self.check_of(one) for name, one in schema.get("properties", {}).items()}
        more = schema.get("additionalProperties", True)
        others = None if more is True else self.check_of(more)

        def properties(value: Any) -> bool:
            if type(value) is not dict:
                return True
            for name, held in value.items():
                check = known.get(name, others)
                if check is not None and not check(held):
                    return False
            return True

        return properties

    def _if(self, schema: Json) -> Check:
        # A condition that does not hold for certain may hold all the same.
        condition = self.check_of(schema["if"])
        then = self.check_of(schema.get("then", True))
        if "else" in schema:
            raise NotCompiled("no function for else")
        if not _is_exact(schema["if"]):
            raise NotCompiled("no function for this condition")
        return lambda value: not condition(value) or then(value)

    def _ref(self, name: str) -> Check:
        if name not in self.made:
            self.made[name] = lambda value: self.made[name](value)  # for a schema that holds itself
            self.made[name] = self._resolved(name)
        return lambda value: self.made[name](value)

    def _resolved(self, name: str) -> Check:
        if not name.startswith("#/"):
            if name not in self.others:
                raise NotCompiled(f"no schema is called {name}")
            return _Compiler(self.others[name], self.others).check_of(self.others[name])
        part: Any = self.root
        for step in name[2:].split("/"):
            part = part[step]
        return self.check_of(part)

    def _type(self, names: str | list[str]) -> Check:
        if isinstance(names, str):
            return _TYPES[names]
        return _any([_TYPES[name] for name in names])

    def _required(self, names: list[str]) -> Check:
        if len(names) == 1:
            (name,) = names
            return lambda value: type(value) is not dict or name in value
        wanted = frozenset(names)
        return lambda value: type(value) is not dict or wanted <= value.keys()

    def _items(self, schema: Json) -> Check:
        check = self.check_of(schema)

        def items(value: Any) -> bool:
            if type(value) is list:
                for one in value:
                    if not check(one):
                        return False
            return True

        return items

    def _contains(self, schema: Json) -> Check:
        check = self.check_of(schema)
        return lambda value: type(value) is not list or any(map(check, value))

    def _unique(self, wanted: bool) -> Check:
        def unique(value: Any) -> bool:
            if type(value) is not list:
                return True
            return all(type(one) is str for one in value) and len(set(value)) == len(value)

        return unique if wanted else lambda value: True

    def _names(self, schema: Json) -> Check:
        check = self.check_of(schema)
        return lambda value: type(value) is not dict or all(map(check, value))

    def _pattern(self, pattern: str) -> Check:
        if pattern == HEX:
            digits = re.compile("[0-9a-f]*").fullmatch
            return lambda value: (
                type(value) is not str or (len(value) % 2 == 0 and digits(value) is not None)
            )
        search = re.compile(pattern).search
        return lambda value: type(value) is not str or search(value) is not None

    def _minimum(self, least: float) -> Check:
        return lambda value: type(value) not in (int, float) or value >= least

    def _length(self, least: int) -> Check:
        return lambda value: type(value) is not str or len(value) >= least

    def _count(self, least: int) -> Check:
        return lambda value: type(value) is not list or len(value) >= least

    def _const(self, wanted: Any) -> Check:
        kind = _plain(wanted)
        return lambda value: type(value) is kind and value == wanted

    def _enum(self, allowed: list[Any]) -> Check:
        wanted = frozenset((_plain(one), one) for one in allowed)
        kinds = {kind for kind, _ in wanted}
        return lambda value: type(value) in kinds and (type(value), value) in wanted

    def _one_of(self, schemas: list[Json]) -> Check:
        checks = [self.check_of(schema) for schema in schemas]
        doubts = [_may_be(schema) for schema in schemas]

        def one_of(value: Any) -> bool:
            # One that may hold could make a second, so all the others must be out of the question.
            sure = [number for number, check in enumerate(checks) if check(value)]
            if len(sure) != 1:
                return False
            return not any(doubt(value) for number, doubt in enumerate(doubts) if number != sure[0])

        return one_of

    def _any_of(self, schemas: list[Json]) -> Check:
        checks = [self.check_of(schema) for schema in schemas]
        return _any(checks)

    def _all_of(self, schemas: list[Json]) -> Check:
        checks = [self.check_of(schema) for schema in schemas]
        return _all(checks)

    def _not(self, schema: Json) -> Check:
        if not _is_exact(schema):
            raise NotCompiled("no function for this not")
        check = self.check_of(schema)
        return lambda value: not check(value)


def _all(checks: Sequence[Check]) -> Check:
    def every(value: Any) -> bool:
        for check in checks:  # noqa: SIM110 - a generator costs more than most checks
            if not check(value):
                return False
        return True

    return every


def _any(checks: Sequence[Check]) -> Check:
    def some(value: Any) -> bool:
        for check in checks:  # noqa: SIM110
            if check(value):
                return True
        return False

    return some


def _plain(value: Any) -> type:
    if not isinstance(value, (str, int, type(None))):
        raise NotCompiled(f"no function for the constant {value!r}")
    return type(value)


def _is_exact(schema: Json) -> bool:
    """Whether the function says yes to all that is valid, among values that JSON can hold.

    ``1.0`` is 1 to jsonschema and not to a function, so constants must be texts or true.
    """
    exact = {"required", "description"}
    for name, value in schema.items():
        if name == "properties":
            if not all(_is_exact(one) for one in value.values()):
                return False
        elif name in ("const", "enum"):
            values = value if name == "enum" else [value]
            if not all(isinstance(one, (str, bool)) for one in values):
                return False
        elif name not in exact:
            return False
    return True


def _may_be(schema: Json) -> Check:
    """The opposite of a check: False means that a value is certainly not valid."""
    wanted = frozenset(schema.get("required", ()))
    kinds = schema.get("type", list(_TYPES))
    names = {kinds} if isinstance(kinds, str) else set(kinds)
    names |= {"number"} if "integer" in names else set()  # 1.0 is an integer
    checks = [_TYPES[name] for name in names]

    def may_be(value: Any) -> bool:
        if "const" in schema and value != schema["const"]:
            return False
        if type(value) is dict and not wanted <= value.keys():
            return False
        return any(check(value) for check in checks)

    return may_be


_TOGETHER = frozenset({"properties", "additionalProperties", "if", "then", "else"})
_KEYWORDS: Mapping[str, Callable[[_Compiler, Any], Check]] = {
    "$ref": _Compiler._ref,
    "type": _Compiler._type,
    "required": _Compiler._required,
    "items": _Compiler._items,
    "contains": _Compiler._contains,
    "uniqueItems": _Compiler._unique,
    "propertyNames": _Compiler._names,
    "pattern": _Compiler._pattern,
    "minimum": _Compiler._minimum,
    "minLength": _Compiler._length,
    "minItems": _Compiler._count,
    "const": _Compiler._const,
    "enum": _Compiler._enum,
    "oneOf": _Compiler._one_of,
    "anyOf": _Compiler._any_of,
    "allOf": _Compiler._all_of,
    "not": _Compiler._not,
}
