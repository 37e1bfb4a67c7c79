"""Find fields that may be missing when an expression reads them.

A field with an ``if`` is missing when the condition is false. An expression that reads it then
raises in Python, is ``undefined`` in JavaScript, and dereferences a null pointer in C++.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from conformance.kaitai.types import Type, Types

_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|0x[0-9a-fA-F]+|\d[\d.e]*|\w+|::|[<>=!]=|<<|>>|\S")
_AT_LEAST = re.compile(r"_io\.size(?:\.as<s8>)?>=(\d+)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_KEYWORDS = {"and", "or", "not", "true", "false", "sizeof", "bitsizeof", "as"}


class Guards:
    """Checks the expressions of one grammar."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self._maybe_missing = {
            field["id"]
            for owner in types.types.values()
            for field in owner.body.get("seq") or ()
            if "if" in field and "id" in field
        }

    def instance_is_safe(self, owner: Type, name: str) -> bool:
        """Return whether an instance can be evaluated in every object that was read completely."""
        return self.missing_in_instance(owner, name) is None

    def missing_in_instance(self, owner: Type, name: str) -> str | None:
        """Return a possibly missing field that an instance reads, or None."""
        return self._of_instance(owner, name, frozenset(), ())

    def _of_instance(
        self, owner: Type, name: str, known: frozenset[str], seen: tuple[str, ...]
    ) -> str | None:
        if name in seen:
            return None
        body = owner.body["instances"][name]
        seen = (*seen, name)
        if "if" in body:
            if missing := self._missing(owner, str(body["if"]), known, seen):
                return missing
            known |= self._truths(owner, str(body["if"]))
        for text in _expressions(body):
            if missing := self._missing(owner, text, known, seen):
                return missing
        return None

    def _missing(
        self, owner: Type, text: str, known: frozenset[str], seen: tuple[str, ...]
    ) -> str | None:
        tokens = _strip(_TOKEN.findall(text))
        if parts := _ternary(tokens):
            condition, yes, no = ("".join(_spaced(part)) for part in parts)
            truths = self._truths(owner, condition)
            return (
                self._missing(owner, condition, known, seen)
                or self._missing(owner, yes, known | truths, seen)
                or self._missing(owner, no, known | self._when_false(owner, condition), seen)
            )
        for name, chain in _names(tokens):
            if missing := self._missing_name(owner, name, chain, known, seen):
                return missing
        return None

    def _missing_name(
        self,
        owner: Type,
        name: str,
        chain: tuple[str, ...],
        known: frozenset[str],
        seen: tuple[str, ...],
    ) -> str | None:
        if step := self._missing_member(owner, name, chain):
            return f"{name}.{step}"
        instances = owner.body.get("instances") or {}
        if name in instances:
            needed = self._truths(owner, str(instances[name].get("if", "true")), deep=False)
            if "if" in instances[name] and not all(
                _holds(condition, known) for condition in needed
            ):
                return name
            return self._of_instance(owner, name, known, seen)
        for field in owner.body.get("seq") or ():
            if field.get("id") == name and "if" in field:
                needed = self._truths(owner, str(field["if"]), deep=False)
                if not all(_holds(condition, known) for condition in needed):
                    return name
        return None

    def _missing_member(self, owner: Type, name: str, chain: tuple[str, ...]) -> str | None:
        """Return the first member that may be missing, by its type if that is known."""
        type: Type | None = self._type_of(owner, name)
        for step in chain:
            if type is None:
                if step in self._maybe_missing and name != "_io":
                    return step
                continue
            fields = {field.get("id"): field for field in type.body.get("seq") or ()}
            fields |= type.body.get("instances") or {}
            if "if" in fields.get(step, {}):
                return step
            type = self._type_of(type, step)
        return None

    def _type_of(self, owner: Type, name: str) -> Type | None:
        if name == "_root":
            return self.types.types[owner.name.split(".")[0]]
        for field in owner.body.get("seq") or ():
            if field.get("id") == name and isinstance(field.get("type"), str):
                return self.types.resolve(field["type"], owner)
        body = (owner.body.get("instances") or {}).get(name, {})
        return (
            self.types.resolve(body["type"], owner) if isinstance(body.get("type"), str) else None
        )

    def _when_false(self, owner: Type, condition: str) -> frozenset[str]:
        """Return the conditions that hold if a condition is false."""
        bare = _bare(condition)
        instance = (owner.body.get("instances") or {}).get(bare, {})
        parts = _ternary(_strip(_TOKEN.findall(str(instance.get("value", "")))))
        if parts and parts[2] == ["true"]:  # p ? q : true is false: then p holds
            return self._truths(owner, "".join(_spaced(parts[0]))) | {f"not({bare})"}
        return frozenset({f"not({bare})"})

    def _truths(self, owner: Type, text: str, deep: bool = True) -> frozenset[str]:
        """Return the conditions that hold if a condition is true."""
        tokens = _strip(_TOKEN.findall(text))
        truths = {_bare("".join(_spaced(tokens)))}
        if parts := _ternary(tokens):
            condition, yes, no = ("".join(_spaced(part)) for part in parts)
            if deep and _bare(no) == "false":
                truths |= self._truths(owner, condition) | self._truths(owner, yes)
            if deep and _bare(no) == "true" and _bare(yes) == "false":
                truths.add(f"not({_bare(condition)})")
            return frozenset(truths)
        conjuncts = _split(tokens, "and")
        if len(conjuncts) > 1:
            truths = set()
            for conjunct in conjuncts:
                truths |= self._truths(owner, "".join(_spaced(conjunct)), deep)
        if deep and len(tokens) == 1:
            instance = (owner.body.get("instances") or {}).get(tokens[0], {})
            if "value" in instance:
                truths |= self._truths(owner, str(instance["value"]))
        return frozenset(truths)


def _expressions(body: dict[str, Any]) -> Iterator[str]:
    for key in ("value", "pos", "size", "repeat-expr"):
        if key in body:
            yield str(body[key])


def _names(tokens: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each name with its accessed members; skip indexes and calls."""
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else ""
        after = tokens[at + 1] if at + 1 < len(tokens) else ""
        if not _WORD.fullmatch(token) or token in _KEYWORDS or before in (".", "::"):
            continue
        if before == "<" and tokens[at - 2] in ("sizeof", "bitsizeof", "as"):
            continue
        if after == "::":
            continue
        yield token, tuple(_members(tokens, at + 1))


def _members(tokens: list[str], at: int) -> Iterator[str]:
    while at < len(tokens):
        if tokens[at] == ".":
            yield tokens[at + 1]
            at += 2
        elif tokens[at] in ("[", "("):
            at = _closing(tokens, at) + 1
        else:
            return


def _closing(tokens: list[str], at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index] in ("(", "[")) - (tokens[index] in (")", "]"))
        if depth == 0:
            return index
    return len(tokens) - 1


def _strip(tokens: list[str]) -> list[str]:
    while len(tokens) > 2 and tokens[0] == "(" and _closing(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _ternary(tokens: list[str]) -> tuple[list[str], list[str], list[str]] | None:
    """Return condition and both branches, if the outermost operation is ``?:``."""
    depth = nested = 0
    question = None
    for at, token in enumerate(tokens):
        depth += (token in ("(", "[")) - (token in (")", "]"))
        if depth:
            continue
        if token == "?" and question is None:
            question = at
        elif token == "?":
            nested += 1
        elif token == ":" and question is not None:
            if nested:
                nested -= 1
            else:
                return tokens[:question], tokens[question + 1 : at], tokens[at + 1 :]
    return None


def _split(tokens: list[str], operator: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in ("(", "[")) - (token in (")", "]"))
        if not depth and token == "or":
            return [tokens]
        if not depth and token == operator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _spaced(tokens: list[str]) -> Iterator[str]:
    for token in tokens:
        yield f" {token} " if token in _KEYWORDS else token


def _bare(text: str) -> str:
    return "".join(_strip(_TOKEN.findall(text)))


def _holds(needed: str, known: frozenset[str]) -> bool:
    if needed in known:
        return True
    if least := _AT_LEAST.fullmatch(needed):
        sizes = [int(match[1]) for condition in known if (match := _AT_LEAST.fullmatch(condition))]
        return any(size >= int(least[1]) for size in sizes)
    return False
