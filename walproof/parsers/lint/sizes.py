"""The rule for sizes that a damaged length makes negative."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.kaitai.types import Type
from walproof.parsers.lint.expression import NoExpression
from walproof.parsers.lint.grammar import Finding, LintedGrammar, Node
from walproof.parsers.lint.numbers import Linear, Numbers, TooMany, show_linear


def negative_size(grammar: LintedGrammar) -> Iterator[Finding]:
    """A size that may be negative, because nothing says that a length is long enough."""
    for node in grammar.of("attribute", "instance"):
        if "size" not in node.body or node.owner is None:
            continue
        # As it stands, then with the instances in it replaced by what they stand for.
        if _negative(node, node.owner, Numbers(grammar.model, expand=False)) is None:
            continue
        numbers = Numbers(grammar.model)
        if (found := _negative(node, node.owner, numbers)) is not None:
            yield grammar.at(node, "size", "negative-size", _advice(found, numbers))


def _negative(node: Node, owner: Type, numbers: Numbers) -> Linear | None:
    """The first value that a size may have and of which nothing says that it is not negative."""
    known = numbers.facts(str(node.body["if"]), owner) if "if" in node.body else []
    try:
        paths = numbers.paths(str(node.body["size"]), owner)
    except (NoExpression, TooMany):
        return None
    for path in paths:
        if not numbers.is_never_negative(path.value, numbers.all_facts(path, known)):
            return path.value
    return None


def _advice(value: Linear, numbers: Numbers) -> str:
    added, taken = show_linear(value)
    what = "a damaged length then ends the reading with an error"
    if taken == "0":
        names = [name for name in value.terms if name not in numbers.lowest]
        return (
            f"`{added}` may be negative, since `{(names or [added])[0]}` is signed: {what}. "
            "Read it unsigned, or give it `valid: min: 0`"
        )
    difference = f"{added} - {taken if ' ' not in taken else f'({taken})'}"
    at_least = f"give `{added}` `valid: min: {taken}`, or " if taken.isdigit() else ""
    return (
        f"`{difference}` is negative where `{added}` is below `{taken}`: {what}. "
        f"Say what holds then: {at_least}write `{added} < {taken} ? 0 : {difference}`"
    )


RULES: dict[str, Callable[[LintedGrammar], Iterator[Finding]]] = {"negative-size": negative_size}
