"""Rules of the Kaitai style guide: order of keys, names, the licence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import yaml

from walproof.parsers.lint.grammar import Finding, LintedGrammar, Node

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


RULES: dict[str, Callable[[LintedGrammar], Iterator[Finding]]] = {
    "file-name": file_name,
    "key-order": key_order,
    "layout": layout,
    "license": licence,
    "name": names,
    "private-meta": private_meta,
}
