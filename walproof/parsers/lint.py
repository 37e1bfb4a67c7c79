"""``walproof parsers lint``: find constructs for which generated parsers differ.

The compiler accepts all constructs that are reported here. Each rule is a function. The first rules
are those of the style guide; the others find constructs for which languages differ or a parser does
not terminate. The docstring of a rule is its description in ``--rules``.

A comment permits an intended finding: ``# lint-ksy: RULE: reason`` applies to the next line that is
not a comment or, before ``meta``, to the whole file. The comment itself is a finding if it has no
reason, if its rule is unknown, or if it permits nothing.
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

_MISSHAPEN = "a list or a map has the wrong type; the compiler reports where"


@dataclass(frozen=True)
class Finding:
    """A problem and how to fix it. Lines and columns count from 1."""

    path: Path
    line: int
    column: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.rule}: {self.message}"


@dataclass(frozen=True)
class Node:
    """A map in a grammar, with its location and the type that contains it.

    ``role`` is grammar, meta, type, attribute, instance, param or enum.
    """

    role: str
    id: str
    body: Mapping[str, Any]
    node: yaml.MappingNode
    owner: Type | None


class LintedGrammar:
    """One grammar. Raises ``yaml.MarkedYAMLError``, and ``ValueError`` if it is not a grammar."""

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
            raise ValueError("not a grammar: expected a map with meta/id")
        self.root = node
        self.body = body
        try:
            self.model = Model(path.stem, path.parent)
        except (OSError, KeyError, GrammarError) as error:
            raise ValueError(f"cannot resolve the imports: {error}") from None
        except (AttributeError, TypeError):
            raise ValueError(_MISSHAPEN) from None
        self.guards = Guards(self.model)
        try:
            self.nodes = list(self._nodes())
        except (AttributeError, TypeError, KeyError):
            raise ValueError(_MISSHAPEN) from None

    def types_of_file(self) -> Iterator[Type]:
        """Yield the types of this file, without imported ones."""
        for type_ in self.model.types.values():
            if type_.file == self.path.parent / f"{self.path.stem}.ksy":
                yield type_

    def of(self, *roles: str) -> Iterator[Node]:
        """Yield the maps with these roles, in order."""
        return (node for node in self.nodes if node.role in roles)

    def at(self, node: Node, key: str | None, rule: str, message: str) -> Finding:
        """Return a finding at a key of a map, or at the map itself."""
        mark = node.node.start_mark
        for name, _ in node.node.value:
            if name.value == key:
                mark = name.start_mark
        return Finding(self.path, mark.line + 1, mark.column + 1, rule, message)

    def _nodes(self) -> Iterator[Node]:
        yield from self._type_nodes(
            self.root, self.body, str(self.body["meta"]["id"]), "grammar", ""
        )

    def _type_nodes(
        self, node: yaml.MappingNode, body: Mapping[str, Any], name: str, role: str, outer: str
    ) -> Iterator[Node]:
        qualified = f"{outer}.{class_name(name)}" if outer else class_name(name)
        owner = self.model.types.get(qualified)
        yield Node(role, name, body, node, owner)
        parts = {key.value: value for key, value in node.value}
        if "meta" in parts and role == "grammar":
            yield Node("meta", "meta", body["meta"], parts["meta"], owner)
        for key, inner_role in (("params", "param"), ("seq", "attribute")):
            for item, inner_body in zip(
                parts[key].value if key in parts else (), body.get(key) or (), strict=False
            ):
                yield Node(inner_role, str(inner_body.get("id", "")), inner_body, item, owner)
        for key, inner_role in (("instances", "instance"), ("enums", "enum")):
            for inner, value in parts[key].value if key in parts else ():
                inner_body = (body.get(key) or {}).get(yaml.safe_load(inner.value), {})
                if isinstance(value, yaml.MappingNode):
                    yield Node(inner_role, inner.value, inner_body, value, owner)
        for inner, value in parts["types"].value if "types" in parts else ():
            inner_body = body["types"][inner.value]
            yield from self._type_nodes(value, inner_body, inner.value, "type", qualified)


# -- excuses -----------------------------------------------------------------------------------

_EXCUSE = re.compile(r"^ *# lint-ksy:\s*([\w-]*)\s*:?\s*(.*?)\s*$")


@dataclass(frozen=True)
class Excuse:
    """An excuse. ``covers`` is the line that it applies to, None for the whole file."""

    line: int
    rule: str
    reason: str
    covers: int | None


def excuses(text: str) -> Iterator[Excuse]:
    """Yield the excuses in a grammar, in order."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if re.match(r"\w", line)), len(lines))
    for number, line in enumerate(lines):
        if match := _EXCUSE.match(line):
            following = (n for n in range(number + 1, len(lines)) if not _is_comment(lines[n]))
            covers = None if number < first else next(following, number) + 1
            yield Excuse(number + 1, match[1], match[2], covers)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def excused(
    path: Path, text: str, findings: Iterable[Finding], rules: Container[str]
) -> Iterator[Finding]:
    """Yield the findings that are not excused, and findings for invalid excuses."""
    waiting = list(findings)
    for excuse in excuses(text):
        covered = [
            finding
            for finding in waiting
            if finding.rule == excuse.rule and excuse.covers in (None, finding.line)
        ]
        if excuse.rule not in rules:
            message = f"unknown rule `{excuse.rule}`: use `# lint-ksy: RULE: reason`"
        elif not excuse.reason:
            message = f"add a reason: `# lint-ksy: {excuse.rule}: reason`"
        elif not covered:
            message = f"no finding of `{excuse.rule}` to excuse: remove this line"
        else:
            waiting = [finding for finding in waiting if finding not in covered]
            continue
        yield Finding(path, excuse.line, 1, "excuse", message)
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
    """Keys follow the order of the style guide."""
    orders = {"grammar": TYPE, "type": TYPE, "meta": META}
    for node in grammar.of("grammar", "type", "meta", "attribute", "instance", "param"):
        yield from _in_order(grammar, node, orders.get(node.role, ATTRIBUTE))


def _in_order(grammar: LintedGrammar, node: Node, order: Sequence[str]) -> Iterator[Finding]:
    # Custom keys start with - and may be anywhere after the id, except -orig-id.
    keys = [key.value for key, _ in node.node.value if key.value in order]
    if "type" in keys and "size" in keys:
        # The style guide puts size first; type first is as readable if the size is one word.
        keys = [key for key in keys if key != "type"]
    expected = sorted(keys, key=order.index)
    for key, expected_key in zip(keys, expected, strict=True):
        if key != expected_key:
            yield grammar.at(
                node, key, "key-order",
                f"move `{expected_key}` before `{key}`: the order is {', '.join(expected)}",
            )  # fmt: skip
            return


def licence(grammar: LintedGrammar) -> Iterator[Finding]:
    """The grammar has an SPDX licence."""
    meta = next(grammar.of("meta"))
    if "license" not in meta.body:
        yield grammar.at(meta, None, "license", "add `license`, such as `license: CC0-1.0`")


def file_name(grammar: LintedGrammar) -> Iterator[Finding]:
    """The id of a grammar equals the name of its file."""
    meta = next(grammar.of("meta"))
    if meta.body["id"] != grammar.path.stem:
        yield grammar.at(
            meta, "id", "file-name",
            f"the file is {grammar.path.name}: use `id: {grammar.path.stem}`, or rename the file",
        )  # fmt: skip


def names(grammar: LintedGrammar) -> Iterator[Finding]:
    """Ids are lower case, with prefixes such as ``len_x``, ``num_xs`` and ``ofs_x``."""
    for node in grammar.of("attribute", "instance"):
        if node.id and not _NAME.fullmatch(node.id):
            yield grammar.at(node, "id", "name", f"`{node.id}`: use lower_case_with_underscores")
        for ending, start in (("_length", "len_"), ("_len", "len_"), ("_offset", "ofs_")):
            if node.id.endswith(ending) and not node.id.startswith(("has_", "is_")):
                better = start + node.id.removesuffix(ending)
                yield grammar.at(
                    node, "id", "name",
                    f"rename `{node.id}` to `{better}`, and keep the original name in `-orig-id`",
                )  # fmt: skip


def private_meta(grammar: LintedGrammar) -> Iterator[Finding]:
    """A published grammar has no compiler switches."""
    meta = next(grammar.of("meta"))
    for key in ("ks-debug", "ks-opaque-types"):
        if key in meta.body:
            yield grammar.at(meta, key, "private-meta", f"remove `{key}`: pass it to the compiler")


def layout(grammar: LintedGrammar) -> Iterator[Finding]:
    """LF, a final newline, no tabs, no trailing spaces, imports as a block list."""
    lines = grammar.text.split("\n")
    if lines[-1]:
        yield Finding(
            grammar.path, len(lines), 1, "layout", "end the file with a newline"
        )  # fmt: skip
    for number, line in enumerate(lines, 1):
        if line != line.rstrip() or "\t" in line:
            problem = "a tab" if "\t" in line else "trailing spaces or CR LF"
            yield Finding(grammar.path, number, 1, "layout", f"remove {problem}")
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
        instances = (node.owner.body.get("instances") or {}) if node.owner else {}
        numbers = {name for name, body in instances.items() if not _is_bytes(body)}
        for key, text in _expressions(node):
            for match in re.finditer(r"(\b[\w.]+)(?:\.as<\w+>)?\s*(==|!=)\s*([a-z_][\w.]*)", text):
                left, sign, right = match.groups()
                ends = {left.rsplit(".", 1)[-1], right.rsplit(".", 1)[-1]}
                if ends <= numbers and right not in ("true", "false"):
                    yield grammar.at(
                        node, key, "boxed-equality",
                        f"`{left} {sign} {right}` compares references in Java, which differ for "
                        f"equal numbers above 127: write `{left} - {right} {sign} 0`",
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
                "values of u8 above 2^63 are negative in Java: check the range in the reader",
            )  # fmt: skip
            continue
        for bound in bounds:
            if _number(bound) is not None and abs(_number(bound) or 0) >= _UNSAFE_INTEGER:
                yield grammar.at(
                    node, "valid", "wide-valid",
                    "JavaScript rounds numbers above 2^53 and would accept other values: use two "
                    "u4, or `contents` with the bytes",
                )  # fmt: skip


def _number(value: object) -> int | None:
    try:
        return int(str(value), 0)
    except ValueError:
        return None


def large_number(grammar: LintedGrammar) -> Iterator[Finding]:
    """Numbers above 2^53 must be quoted; some spellings differ between YAML 1.1 and 1.2."""
    for scalar in _scalars(grammar.root):
        if scalar.style is not None or not _NUMBER.fullmatch(scalar.value):
            continue
        position = (scalar.start_mark.line + 1, scalar.start_mark.column + 1)
        if "_" in scalar.value or re.fullmatch(r"0\d+", scalar.value):
            yield Finding(
                grammar.path, *position, "number",
                f"`{scalar.value}` is text in some parsers: remove underscores and leading zeros",
            )  # fmt: skip
        elif (_number(scalar.value) or 0) >= _UNSAFE_INTEGER:
            yield Finding(
                grammar.path, *position, "number",
                f"quote it ('{scalar.value}'): the compiler runs in JavaScript and rounds it",
            )  # fmt: skip


def yaml_word(grammar: LintedGrammar) -> Iterator[Finding]:
    """Some ids are booleans in YAML 1.1."""
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
    """Return whether ``true:`` is a case of a switch, where a boolean is intended."""
    return isinstance(word, yaml.ScalarNode) and word.value in ("true", "false")


def duplicate_key(grammar: LintedGrammar) -> Iterator[Finding]:
    """A key occurs twice: the YAML library of Python keeps the last, the compiler rejects it."""
    for mapping in _maps(grammar.root):
        earlier = set()
        for key, _ in mapping.value:
            if key.value in earlier:
                yield Finding(
                    grammar.path, key.start_mark.line + 1, key.start_mark.column + 1,
                    "duplicate-key", f"`{key.value}` occurs twice: merge the two",
                )  # fmt: skip
            earlier.add(key.value)


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
    """``repeat: eos`` over an element that may be empty does not terminate."""
    for node in grammar.of("attribute", "instance"):
        if node.body.get("repeat") == "eos" and node.owner and _may_be_empty(grammar, node, ()):
            yield grammar.at(
                node, "repeat", "endless-repeat",
                "an empty element repeats forever: give each at least one byte, "
                "or use `repeat: until` with a condition that ends at an empty element",
            )  # fmt: skip


def _may_be_empty(grammar: LintedGrammar, node: Node, outer_types: tuple[str, ...]) -> bool:
    return node.owner is not None and _empty(grammar, node.body, node.owner.name, outer_types)


def _empty(
    grammar: LintedGrammar, body: Mapping[str, object], owner: str, outer_types: tuple[str, ...]
) -> bool:
    """Return whether an element may be empty, as far as the grammar shows."""
    written = body.get("type")
    if "contents" in body or "terminator" in body or written == "strz":
        return False
    if "size" in body:
        return str(body["size"]) == "0"  # expressions are assumed to be positive
    if "size-eos" in body:
        return False  # the rest of the stream is not empty here
    if not isinstance(written, str) or _WIDTH.fullmatch(written) or written in outer_types:
        return False
    resolved = grammar.model.resolve(written, grammar.model.types[owner])
    if resolved is None:
        return False
    fields = resolved.body.get("seq") or ()
    return all(
        "if" in field
        or "repeat" in field
        or _empty(grammar, field, resolved.name, (*outer_types, written))
        for field in fields
    )


def type_name(grammar: LintedGrammar) -> Iterator[Finding]:
    """A type hides a class that generated code needs."""
    for node in grammar.of("type"):
        if node.id in _CLASS_NAMES:
            yield grammar.at(
                node, None, "type-name",
                f"a type `{node.id}` hides the built-in class in Java or JavaScript: "
                f"rename it, for example to `{node.id}_type`",
            )  # fmt: skip


def conditional_sizeof(grammar: LintedGrammar) -> Iterator[Finding]:
    """``sizeof<t>`` counts fields with ``if`` as present."""
    for node in grammar.of("attribute", "instance"):
        for key, text in _expressions(node):
            for name in re.findall(r"\b(?:bit)?sizeof<([\w:]+)>", text):
                resolved = grammar.model.resolve(name, node.owner) if node.owner else None
                if resolved and any("if" in field for field in resolved.body.get("seq") or ()):
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
                        "`_index` with `repeat: until` is one higher in Go, and in the condition "
                        f"one higher in C++, Java and JavaScript: use `{node.id}.size`",
                    )  # fmt: skip


def moving_position(grammar: LintedGrammar) -> Iterator[Finding]:
    """An instance that reads ``_io.pos`` depends on the time of its first use."""
    for node in grammar.of("instance"):
        for key, text in _expressions(node):
            if re.search(r"(?<!\w)_io\.(pos|eof)\b", text):
                yield grammar.at(
                    node, key, "moving-position",
                    "an instance that reads `_io.pos` gets the position at its first use, and in "
                    "Rust the start of the object: pass the position "
                    "as a parameter, or write the expression where it is used",
                )  # fmt: skip


def unguarded(grammar: LintedGrammar) -> Iterator[Finding]:
    """An instance reads a field that may be absent."""
    for node in grammar.of("instance"):
        if node.owner is None:
            continue
        if missing := grammar.guards.missing_in_instance(node.owner, node.id):
            yield grammar.at(
                node, next((k for k in ("value", "pos") if k in node.body), None), "unguarded",
                f"`{missing}` has an `if` and may be absent: a crash in C++, a panic in Rust. "
                f"Give `{node.id}` the same `if`, or test it first: `condition ? … : 0`",
            )  # fmt: skip


def linked_recursion(grammar: LintedGrammar) -> Iterator[Finding]:
    """Instances at offsets form a chain of objects."""
    for node in grammar.of("instance"):
        if node.owner is None or "pos" not in node.body or "type" not in node.body:
            continue
        written = node.body["type"]
        resolved = grammar.model.resolve(written, node.owner) if isinstance(written, str) else None
        if resolved and resolved.name == node.owner.name:
            yield grammar.at(
                node, "type", "linked",
                f"`{node.id}` links one `{node.owner.ids[-1]}` to the next: walking the links "
                "overflows the stack on a long chain. Keep only the offset, and list the objects "
                "in an array",
            )  # fmt: skip


#: Rules by id; findings of one line are reported in this order.
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


def lint(path: Path) -> list[Finding]:
    """Return the findings in one grammar, by line; a file that is no grammar is one finding."""
    try:
        grammar = LintedGrammar(path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        return [Finding(path, *position, "yaml", f"not YAML: {error.problem}")]
    except ValueError as error:
        return [Finding(path, 1, 1, "yaml", str(error))]
    findings = [finding for rule in RULES.values() for finding in rule(grammar)]
    return sorted(
        excused(path, grammar.text, findings, RULES),
        key=lambda finding: (finding.line, finding.column),
    )


def compile_errors(paths: Sequence[Path]) -> list[str]:
    """Return the errors of the compiler, each ``FILE:LINE:COLUMN: error: REASON``.

    Raises ``ToolMissing``.
    """
    with tempfile.TemporaryDirectory() as scratch:
        try:
            compile_to("python", paths, Path(scratch))
        except GrammarError as error:
            return _findings(str(error), paths)
    return []


def _findings(text: str, paths: Sequence[Path]) -> list[str]:
    """Return the messages of the compiler; lines that do not begin with a file are
    continuations."""
    begins = tuple(str(path).splitlines()[0] for path in paths)
    messages: list[str] = []
    for line in text.splitlines():
        if messages and not line.startswith(begins):
            messages[-1] += f"\n{line}"
        else:
            messages.append(line)
    return messages
