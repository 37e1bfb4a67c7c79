"""``walproof parsers lint``: why the parsers of a grammar do not agree in all languages.

The compiler accepts everything that is found here. Each rule is a function: first the style guide,
then traps, where languages differ or a parser never ends. A comment excuses an intended finding:
``# lint-ksy: RULE: reason`` covers the line below it (comments between do not count), or, in front
of ``meta``, the whole file. An excuse without a reason, for an unknown rule, or for nothing is
itself a finding.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from conformance.kaitai.compile import GrammarError, compile_to
from conformance.kaitai.guards import Guards
from conformance.kaitai.model import Model
from conformance.kaitai.types import Type, class_name

_MISSHAPEN = "a list or a map stands where another was expected; the compiler says where"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, and what to do instead. Lines and columns count from 1."""

    path: Path
    line: int
    column: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Node:
    """A map in a grammar: what it says, where it stands, and the type that it belongs to.

    ``role`` is grammar, meta, type, attribute, instance, param or enum.
    """

    role: str
    id: str
    body: Mapping[str, Any]
    node: yaml.MappingNode
    owner: Type | None


class LintedGrammar:
    """One grammar. Raises ``yaml.MarkedYAMLError``, and ``ValueError`` for what is no grammar."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        node = yaml.compose(self.text, Loader=yaml.SafeLoader)
        body = yaml.safe_load(self.text)
        meta = body.get("meta") if isinstance(node, yaml.MappingNode) else None
        if (
            not isinstance(meta, Mapping)
            or "id" not in meta
            or not isinstance(node, yaml.MappingNode)
        ):
            raise ValueError("no grammar: a map with meta/id was expected")
        self.root = node
        self.body = body
        try:
            self.model = Model(path.stem, path.parent)
        except (OSError, KeyError, GrammarError) as error:
            raise ValueError(f"cannot follow the imports: {error}") from None
        except (AttributeError, TypeError):
            raise ValueError(_MISSHAPEN) from None
        self.guards = Guards(self.model)
        try:
            self.nodes = list(self._nodes())
        except (AttributeError, TypeError, KeyError):
            raise ValueError(_MISSHAPEN) from None

    def own_types(self) -> Iterator[Type]:
        """The types of this file, imported ones left out."""
        for one in self.model.types.values():
            if one.file == self.path.parent / f"{self.path.stem}.ksy":
                yield one

    def of(self, *roles: str) -> Iterator[Node]:
        """The maps of these roles, in order."""
        return (node for node in self.nodes if node.role in roles)

    def at(self, node: Node, key: str | None, rule: str, message: str) -> Finding:
        """A finding at a key of a map, or at the map."""
        mark = node.node.start_mark
        for name, _ in node.node.value:
            if name.value == key:
                mark = name.start_mark
        return Finding(self.path, mark.line + 1, mark.column + 1, rule, message)

    def _nodes(self) -> Iterator[Node]:
        yield from self._type(self.root, self.body, str(self.body["meta"]["id"]), "grammar", "")

    def _type(
        self, node: yaml.MappingNode, body: Mapping[str, Any], name: str, role: str, outer: str
    ) -> Iterator[Node]:
        qualified = f"{outer}.{class_name(name)}" if outer else class_name(name)
        owner = self.model.types.get(qualified)
        yield Node(role, name, body, node, owner)
        parts = {key.value: value for key, value in node.value}
        if "meta" in parts and role == "grammar":
            yield Node("meta", "meta", body["meta"], parts["meta"], owner)
        for key, inner_role in (("params", "param"), ("seq", "attribute")):
            for item, said in zip(
                parts[key].value if key in parts else (), body.get(key) or (), strict=False
            ):
                yield Node(inner_role, str(said.get("id", "")), said, item, owner)
        for key, inner_role in (("instances", "instance"), ("enums", "enum")):
            for inner, value in parts[key].value if key in parts else ():
                said = (body.get(key) or {}).get(yaml.safe_load(inner.value), {})
                if isinstance(value, yaml.MappingNode):
                    yield Node(inner_role, inner.value, said, value, owner)
        for inner, value in parts["types"].value if "types" in parts else ():
            said = body["types"][inner.value]
            yield from self._type(value, said, inner.value, "type", qualified)


# -- excuses -----------------------------------------------------------------------------------

_EXCUSE = re.compile(r"^ *# lint-ksy:\s*([\w-]*)\s*:?\s*(.*?)\s*$")


@dataclass(frozen=True)
class Excuse:
    """One comment. ``covers`` is the line that it is for, None for the whole file."""

    line: int
    rule: str
    reason: str
    covers: int | None


def excuses(text: str) -> Iterator[Excuse]:
    """The excuses in a grammar, in order."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if re.match(r"\w", line)), len(lines))
    for number, line in enumerate(lines):
        if match := _EXCUSE.match(line):
            below = (n for n in range(number + 1, len(lines)) if not _is_comment(lines[n]))
            covers = None if number < first else next(below, number) + 1
            yield Excuse(number + 1, match[1], match[2], covers)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def excused(
    path: Path, text: str, found: Iterable[Finding], rules: Container[str]
) -> Iterator[Finding]:
    """The findings that nothing excuses, and what is wrong with the excuses."""
    waiting = list(found)
    for one in excuses(text):
        covered = [
            finding
            for finding in waiting
            if finding.rule == one.rule and one.covers in (None, finding.line)
        ]
        if one.rule not in rules:
            why = f"`{one.rule}` is no rule: `# lint-ksy: RULE: reason`"
        elif not one.reason:
            why = f"say why: `# lint-ksy: {one.rule}: reason`"
        elif not covered:
            why = f"nothing to excuse for `{one.rule}`: take this line out"
        else:
            waiting = [finding for finding in waiting if finding not in covered]
            continue
        yield Finding(path, one.line, 1, "excuse", why)
    yield from waiting


# -- the style guide ------------------------------------------------------------------------------

TYPE = (
    "meta", "-orig-id", "doc", "doc-ref", "to-string", "params", "seq", "instances", "types",
    "enums",
)  # fmt: skip
META = (
    "id", "title", "application", "file-extension", "xref", "tags", "license", "ks-version",
    "ks-debug", "ks-opaque-types", "imports", "encoding", "endian", "bit-endian",
)  # fmt: skip
ATTRIBUTE = (
    "id", "-orig-id", "io", "pos", "value", "size", "size-eos", "type", "enum", "terminator",
    "include", "consume", "eos-error", "pad-right", "encoding", "process", "valid", "contents",
    "repeat", "repeat-expr", "repeat-until", "if", "doc", "doc-ref",
)  # fmt: skip
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def key_order(grammar: LintedGrammar) -> Iterator[Finding]:
    """Keys in the order of the style guide."""
    orders = {"grammar": TYPE, "type": TYPE, "meta": META}
    for node in grammar.of("grammar", "type", "meta", "attribute", "instance", "param"):
        yield from _in_order(grammar, node, orders.get(node.role, ATTRIBUTE))


def _in_order(grammar: LintedGrammar, node: Node, order: Sequence[str]) -> Iterator[Finding]:
    # A project's own keys start with - and may stand anywhere after the id, except -orig-id.
    keys = [key.value for key, _ in node.node.value if key.value in order]
    if "type" in keys and "size" in keys:
        # The style guide has size first; type first reads as well where the size is one word.
        keys = [key for key in keys if key != "type"]
    right = sorted(keys, key=order.index)
    for found, wanted in zip(keys, right, strict=True):
        if found != wanted:
            yield grammar.at(
                node, found, "key-order",
                f"`{wanted}` stands before `{found}`; the order is {', '.join(right)}",
            )  # fmt: skip
            return


def licence(grammar: LintedGrammar) -> Iterator[Finding]:
    """An SPDX licence."""
    meta = next(grammar.of("meta"))
    if "license" not in meta.body:
        yield grammar.at(meta, None, "license", "add `license`, such as `license: CC0-1.0`")


def file_name(grammar: LintedGrammar) -> Iterator[Finding]:
    """The id of a grammar is the name of its file."""
    meta = next(grammar.of("meta"))
    if meta.body["id"] != grammar.path.stem:
        yield grammar.at(
            meta, "id", "file-name",
            f"the file is {grammar.path.name}: use `id: {grammar.path.stem}`, or rename the file",
        )  # fmt: skip


def names(grammar: LintedGrammar) -> Iterator[Finding]:
    """``len_x``, ``num_xs``, ``ofs_x``, lower case."""
    for node in grammar.of("attribute", "instance"):
        if node.id and not _NAME.fullmatch(node.id):
            yield grammar.at(
                node, "id", "name", f"`{node.id}`: ids are lower_case_with_underscores"
            )
        for ending, start in (("_length", "len_"), ("_len", "len_"), ("_offset", "ofs_")):
            if node.id.endswith(ending) and not node.id.startswith(("has_", "is_")):
                better = start + node.id.removesuffix(ending)
                yield grammar.at(
                    node, "id", "name",
                    f"`{node.id}`: call it `{better}`, and keep the source's name in `-orig-id`",
                )  # fmt: skip


def private_meta(grammar: LintedGrammar) -> Iterator[Finding]:
    """No compiler switches in a grammar that others use."""
    meta = next(grammar.of("meta"))
    for key in ("ks-debug", "ks-opaque-types"):
        if key in meta.body:
            yield grammar.at(
                meta, key, "private-meta", f"take `{key}` out: pass it to the compiler"
            )


def layout(grammar: LintedGrammar) -> Iterator[Finding]:
    """LF, a final newline, no tabs, no trailing blanks, imports as a block list."""
    lines = grammar.text.split("\n")
    if lines[-1]:
        yield Finding(
            grammar.path, len(lines), 1, "layout", "end the file with a newline"
        )  # fmt: skip
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() or "\t" in line:
            what = "a tab" if "\t" in line else "blanks at the end of the line, or CR LF"
            yield Finding(grammar.path, number, 1, "layout", f"{what}: take them out")
    meta = next(grammar.of("meta"))
    for key, value in meta.node.value:
        if key.value == "imports" and (
            not isinstance(value, yaml.SequenceNode) or value.flow_style
        ):
            yield grammar.at(meta, "imports", "layout", "write the imports as a block list")


# -- traps ----------------------------------------------------------------------------------------

_WIDTH = re.compile(r"[us]([1248])(?:le|be)?|f([48])(?:le|be)?|b(\d+)(?:le|be)?")
_UNSAFE_INTEGER = 1 << 53
_CLASS_NAMES = {
    "object", "string", "list", "integer", "long", "class", "map", "array", "exception", "error",
    "boolean", "byte", "double", "float", "short", "character", "number", "iterable", "enum",
    "math", "process", "struct", "stream", "system", "thread",
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
            if _number(bound) is not None and abs(_number(bound) or 0) >= _UNSAFE_INTEGER:
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
        elif (_number(scalar.value) or 0) >= _UNSAFE_INTEGER:
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
        if node.id in _CLASS_NAMES:
            yield grammar.at(
                node, None, "type-name",
                f"a type `{node.id}` hides the class of that name in Java or JavaScript: "
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
    "file-name": file_name,
    "key-order": key_order,
    "layout": layout,
    "license": licence,
    "name": names,
    "private-meta": private_meta,
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
"""The rules by id, in the order in which findings of one line are reported."""


def lint(path: Path) -> list[Finding]:
    """The findings in one grammar, by line. A file that is not a grammar is one finding."""
    try:
        grammar = LintedGrammar(path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return [Finding(path, *place, "yaml", f"no YAML: {error.problem}; the compiler says more")]
    except ValueError as error:
        return [Finding(path, 1, 1, "yaml", str(error))]
    found = [finding for rule in RULES.values() for finding in rule(grammar)]
    return sorted(
        excused(path, grammar.text, found, RULES),
        key=lambda finding: (finding.line, finding.column),
    )


def compile_errors(paths: Sequence[Path]) -> list[str]:
    """What the compiler refuses, one ``FILE:LINE:COLUMN: error: WHY`` each.

    Raises ``ToolMissing``.
    """
    with tempfile.TemporaryDirectory() as scratch:
        try:
            compile_to("python", paths, Path(scratch))
        except GrammarError as error:
            return _findings(str(error), paths)
    return []


def _findings(text: str, paths: Sequence[Path]) -> list[str]:
    """The compiler's lines, those joined that do not begin with a file: a name may hold lines."""
    begins = tuple(str(path).splitlines()[0] for path in paths)
    found: list[str] = []
    for line in text.splitlines():
        if found and not line.startswith(begins):
            found[-1] += f"\n{line}"
        else:
            found.append(line)
    return found
