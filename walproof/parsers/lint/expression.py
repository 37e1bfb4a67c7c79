"""The expression language of Kaitai Struct, as a tree: enough to reason about numbers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\s*(\"[^\"]*\"|'[^']*'|f\"[^\"]*\"|0[xXbBoO][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?"
    r"|(?:bit)?sizeof<[\w:]+>|as<[\w:\[\]]+>|\w+(?:::\w+)*|[<>=!]=|<<|>>|\S)"
)
_BINARY = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class NoExpression(ValueError):
    """A text that is not read here; the compiler says whether it is wrong."""


@dataclass(frozen=True)
class Node:
    """``kind`` is number, text, name, member, index, call, cast, list, an operator, or ``?``.

    ``value`` is the number, the name, or the type of a cast; ``parts`` are the operands.
    """

    kind: str
    value: int | str = ""
    parts: tuple[Node, ...] = ()


def parse(text: str) -> Node:
    """The tree of an expression. Raises :class:`NoExpression`."""
    parser = _Parser(_TOKEN.findall(text))
    found = parser.ternary()
    if parser.at < len(parser.tokens):
        raise NoExpression(text)
    return found


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        found = self.peek()
        if not found or (wanted and found != wanted):
            raise NoExpression(f"{wanted or 'more'} was expected")
        self.at += 1
        return found

    def ternary(self) -> Node:
        condition = self.logic("or", lambda: self.logic("and", self.negation))
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.ternary()
        self.take(":")
        return Node("?", "", (condition, yes, self.ternary()))

    def logic(self, word: str, inner: Callable[[], Node]) -> Node:
        found = inner()
        while self.peek() == word:
            self.take()
            found = Node(word, "", (found, inner()))
        return found

    def negation(self) -> Node:
        if self.peek() == "not":
            self.take()
            return Node("not", "", (self.negation(),))
        left = self.binary(0)
        if self.peek() in COMPARISONS:
            return Node(self.take(), "", (left, self.binary(0)))
        return left

    def binary(self, level: int) -> Node:
        if level == len(_BINARY):
            return self.unary()
        found = self.binary(level + 1)
        while self.peek() in _BINARY[level]:
            found = Node(self.take(), "", (found, self.binary(level + 1)))
        return found

    def unary(self) -> Node:
        if self.peek() in ("-", "~"):
            return Node(f"unary {self.take()}", "", (self.unary(),))
        return self.postfix()

    def postfix(self) -> Node:
        found = self.primary()
        while self.peek() in (".", "[", "("):
            if self.take() == ".":
                name = self.take()
                cast = re.fullmatch(r"as<(.+)>", name)
                found = Node("cast", cast[1], (found,)) if cast else Node("member", name, (found,))
            elif self.tokens[self.at - 1] == "[":
                found = Node("index", "", (found, self.ternary()))
                self.take("]")
            else:
                found = Node("call", "", (found, *self.several(")")))
        return found

    def primary(self) -> Node:
        token = self.take()
        if token == "(":
            found = self.ternary()
            self.take(")")
            return found
        if token == "[":
            return Node("list", "", tuple(self.several("]")))
        if token[0].isdigit():
            try:
                return Node("number", int(token.replace("_", ""), 0))
            except ValueError:
                raise NoExpression(token) from None
        if token[0] in "\"'":
            return Node("text", token)
        if token[0].isalpha() or token[0] == "_":
            return Node("name", token)
        raise NoExpression(token)

    def several(self, end: str) -> list[Node]:
        found = []
        while self.peek() != end:
            found.append(self.ternary())
            if self.peek() == ",":
                self.take()
        self.take(end)
        return found
