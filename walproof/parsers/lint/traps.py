"""Rules for what compiles, but differs between languages or never ends."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import yaml

from walproof.parsers.lint.grammar import Finding, LintedGrammar, Node

_WIDTH = re.compile(r"[us]([1248])(?:le|be)?|f([48])(?:le|be)?|b(\d+)(?:le|be)?")
_SAFE = 1 << 53
_TAKEN = {
    "object", "string", "list", "integer", "long", "class", "map", "array", "exception", "error",
    "boolean", "byte", "double", "float", "short", "character", "number", "iterable", "enum",
    "system", "math", "thread", "process", "override", "struct", "stream",
}  # fmt: skip
_YAML_WORDS = {"on", "off", "yes", "no", "y", "n", "true", "false", "null"}
_NUMBER = re.compile(r"0[xX][0-9a-fA-F_]+|[0-9][0-9_]*")
_UNGUARDED = re.compile(r"\b_index\b")


def _expressions(node: Node) -> Iterator[tuple[str, str]]:
    for key in ("value", "pos", "size", "if", "repeat-expr", "repeat-until"):
        if key in node.body:
            yield key, str(node.body[key])
    if isinstance(node.body.get("type"), Mapping):
        yield "type", str(node.body["type"].get("switch-on", ""))
    elif "(" in str(node.body.get("type", "")):
        yield "type", str(node.body["type"])
    valid = node.body.get("valid")
    if isinstance(valid, Mapping) and "expr" in valid:
        yield "valid", str(valid["expr"])


def boxed_equality(grammar: LintedGrammar) -> Iterator[Finding]:
    """``==`` between two instances compares references in Java."""
    for node in grammar.of("attribute", "instance"):
        own = (node.owner.body.get("instances") or {}) if node.owner else {}
        numbers = {name for name, body in own.items() if not _is_bytes(body)}
        for key, text in _expressions(node):
            for match in re.finditer(r"(\b[\w.]+)(?:\.as<\w+>)?\s*(==|!=)\s*([a-z_][\w.]*)", text):
                left, sign, right = match.groups()
                ends = {left.rsplit(".", 1)[-1], right.rsplit(".", 1)[-1]}
                if ends <= numbers and right not in ("true", "false"):
                    yield grammar.at(
                        node, key, "boxed-equality",
                        f"`{left} {sign} {right}` compares references in Java, false for equal "
                        f"numbers above 127: write `{left} - {right} {sign} 0`",
                    )  # fmt: skip


def _is_bytes(body: Mapping[str, object]) -> bool:
    return "value" not in body and "type" not in body


def wide_equality(grammar: LintedGrammar) -> Iterator[Finding]:
    """64-bit numbers are doubles in JavaScript."""
    for node in grammar.of("attribute", "instance"):
        valid = node.body.get("valid")
        if str(node.body.get("type", ""))[:2] not in ("u8", "s8") or valid is None:
            continue
        bounds = valid.values() if isinstance(valid, Mapping) else [valid]
        ranged = isinstance(valid, Mapping) and {"min", "max"} & set(valid)
        if ranged and node.body["type"].startswith("u8"):
            yield grammar.at(
                node, "valid", "wide-valid",
                "values of u8 above 2^63 are negative in Java: leave the range to the reader",
            )  # fmt: skip
            continue
        for bound in bounds:
            if _number(bound) is not None and abs(_number(bound) or 0) >= _SAFE:
                yield grammar.at(
                    node, "valid", "wide-valid",
                    "JavaScript rounds numbers above 2^53 and would accept neighbours: use two u4, "
                    "or `contents` with the bytes",
                )  # fmt: skip


def _number(value: object) -> int | None:
    try:
        return int(str(value), 0)
    except ValueError:
        return None


def large_number(grammar: LintedGrammar) -> Iterator[Finding]:
    """Numbers above 2^53 must be quoted; other spellings differ between YAML 1.1 and 1.2."""
    for scalar in _scalars(grammar.root):
        if scalar.style is not None or not _NUMBER.fullmatch(scalar.value):
            continue
        place = (scalar.start_mark.line + 1, scalar.start_mark.column + 1)
        if "_" in scalar.value or re.fullmatch(r"0\d+", scalar.value):
            yield Finding(
                grammar.path, *place, "number",
                f"`{scalar.value}` is not a number in every YAML: no underscores, no leading zero",
            )  # fmt: skip
        elif (_number(scalar.value) or 0) >= _SAFE:
            yield Finding(
                grammar.path, *place, "number",
                f"quote it ('{scalar.value}'): the compiler reads YAML in JavaScript and rounds it",
            )  # fmt: skip


def yaml_word(grammar: LintedGrammar) -> Iterator[Finding]:
    """Ids that YAML 1.1 takes for booleans."""
    for mapping in _maps(grammar.root):
        for key, value in mapping.value:
            for word in [key, value] if key.value == "id" else [key]:
                if word.value.lower() in _YAML_WORDS and word.style is None:
                    if mapping_is_cases(word):
                        continue
                    yield Finding(
                        grammar.path, word.start_mark.line + 1, word.start_mark.column + 1,
                        "yaml-word", f"`{word.value}` is a boolean in YAML 1.1: use another id",
                    )  # fmt: skip


def mapping_is_cases(word: yaml.Node) -> bool:
    """Whether ``true:`` is a case of a switch, where a boolean is meant."""
    return isinstance(word, yaml.ScalarNode) and word.value in ("true", "false")


def duplicate_key(grammar: LintedGrammar) -> Iterator[Finding]:
    """The same key twice: Python's YAML takes the last, the compiler refuses."""
    for mapping in _maps(grammar.root):
        seen = set()
        for key, _ in mapping.value:
            if key.value in seen:
                yield Finding(
                    grammar.path, key.start_mark.line + 1, key.start_mark.column + 1,
                    "duplicate-key", f"`{key.value}` stands here twice: merge the two",
                )  # fmt: skip
            seen.add(key.value)


def _maps(node: yaml.Node) -> Iterator[yaml.MappingNode]:
    if isinstance(node, yaml.MappingNode):
        yield node
        for _, value in node.value:
            yield from _maps(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _maps(value)


def _scalars(node: yaml.Node) -> Iterator[yaml.ScalarNode]:
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(key)
            yield from _scalars(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _scalars(value)


def endless_repeat(grammar: LintedGrammar) -> Iterator[Finding]:
    """``repeat: eos`` over something that may take no bytes never ends."""
    for node in grammar.of("attribute", "instance"):
        if node.body.get("repeat") == "eos" and node.owner and _may_be_empty(grammar, node, ()):
            yield grammar.at(
                node, "repeat", "endless-repeat",
                "an element that takes no bytes repeats for ever: give each at least one byte, "
                "or use `repeat: until` with a condition that an empty one ends",
            )  # fmt: skip


def _may_be_empty(grammar: LintedGrammar, node: Node, seen: tuple[str, ...]) -> bool:
    return node.owner is not None and _empty(grammar, node.body, node.owner.name, seen)


def _empty(
    grammar: LintedGrammar, body: Mapping[str, object], owner: str, seen: tuple[str, ...]
) -> bool:
    """Whether one element may take nothing, as far as the grammar shows."""
    written = body.get("type")
    if "contents" in body or "terminator" in body or written == "strz":
        return False
    if "size" in body:
        return str(body["size"]) == "0"  # an expression is taken at its word
    if "size-eos" in body:
        return False  # takes what is left, and something is
    if not isinstance(written, str) or _WIDTH.fullmatch(written) or written in seen:
        return False
    found = grammar.model.resolve(written, grammar.model.types[owner])
    if found is None:
        return False
    fields = found.body.get("seq") or ()
    return all(
        "if" in one or "repeat" in one or _empty(grammar, one, found.name, (*seen, written))
        for one in fields
    )


def type_name(grammar: LintedGrammar) -> Iterator[Finding]:
    """Types that hide a class which generated code needs."""
    for node in grammar.of("type"):
        if node.id in _TAKEN:
            yield grammar.at(
                node, None, "type-name",
                f"a type `{node.id}` hides the class of that name in Java or C#: "
                f"call it `{node.id}_type` or what it is",
            )  # fmt: skip


def conditional_sizeof(grammar: LintedGrammar) -> Iterator[Finding]:
    """``sizeof<t>`` counts fields with ``if`` as present."""
    for node in grammar.of("attribute", "instance"):
        for key, text in _expressions(node):
            for name in re.findall(r"\b(?:bit)?sizeof<([\w:]+)>", text):
                found = grammar.model.resolve(name, node.owner) if node.owner else None
                if found and any("if" in one for one in found.body.get("seq") or ()):
                    yield grammar.at(
                        node, key, "sizeof",
                        f"`sizeof<{name}>` counts fields whose `if` is false: write the number",
                    )  # fmt: skip


def own_index(grammar: LintedGrammar) -> Iterator[Finding]:
    """``_index`` inside ``repeat-until`` differs between languages."""
    for node in grammar.of("attribute", "instance"):
        if node.body.get("repeat") == "until":
            for key, text in _expressions(node):
                if _UNGUARDED.search(text):
                    yield grammar.at(
                        node, key, "index-in-until",
                        "`_index` with `repeat: until` is one more in Go, and in the condition one "
                        f"more in C++, Java and JavaScript: ask for `{node.id}.size`",
                    )  # fmt: skip


def moving_position(grammar: LintedGrammar) -> Iterator[Finding]:
    """An instance that reads ``_io.pos`` depends on when it is asked first."""
    for node in grammar.of("instance"):
        for key, text in _expressions(node):
            if re.search(r"(?<!\w)_io\.(pos|eof)\b", text):
                yield grammar.at(
                    node, key, "moving-position",
                    "an instance that reads `_io.pos` has the value of the moment it is first "
                    "asked, and in Rust that of the start of the object: hand the position over "
                    "as a parameter, or write the expression where it is used",
                )  # fmt: skip


def unguarded(grammar: LintedGrammar) -> Iterator[Finding]:
    """An instance that reads what may not be there."""
    for node in grammar.of("instance"):
        if node.owner is None:
            continue
        if missing := grammar.guards.missing_in_instance(node.owner, node.id):
            yield grammar.at(
                node, next((k for k in ("value", "pos") if k in node.body), None), "unguarded",
                f"`{missing}` has an `if` and may not be there: a crash in C++, a panic in Rust. "
                f"Give `{node.id}` the same `if`, or ask first: `condition ? … : 0`",
            )  # fmt: skip


def linked_recursion(grammar: LintedGrammar) -> Iterator[Finding]:
    """Instances at offsets that lead from type to type and back."""
    for node in grammar.of("instance"):
        if node.owner is None or "pos" not in node.body or "type" not in node.body:
            continue
        written = node.body["type"]
        found = grammar.model.resolve(written, node.owner) if isinstance(written, str) else None
        if found and found.name == node.owner.name:
            yield grammar.at(
                node, "type", "linked",
                f"`{node.id}` leads from one `{node.owner.ids[-1]}` to the next: walking it "
                "overflows the stack on a long chain. Give the offset only, and list the objects "
                "in a row",
            )  # fmt: skip


RULES: dict[str, Callable[[LintedGrammar], Iterator[Finding]]] = {
    "boxed-equality": boxed_equality,
    "duplicate-key": duplicate_key,
    "endless-repeat": endless_repeat,
    "index-in-until": own_index,
    "linked": linked_recursion,
    "moving-position": moving_position,
    "number": large_number,
    "sizeof": conditional_sizeof,
    "type-name": type_name,
    "unguarded": unguarded,
    "wide-valid": wide_equality,
    "yaml-word": yaml_word,
}
