"""The tables of a chapter that its register is the source of: reasons, faults, fields, context, and
what one bit can do unseen, whose numbers a search found.

Each stands between ``<!-- register: NAME -->`` and ``<!-- end -->``. ``python -m
conformance.traceability.write_tables`` writes them anew after a change to a register.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from conformance import undetected_flips
from conformance.protocol.format_schemas import schemas_of, text_of
from conformance.traceability.tree import Found, Tree
from reference_impl.register import (
    ContextKey,
    Fault,
    FieldToWrite,
    Reason,
    RecordField,
    Register,
)

SCHEMAS = Path("conformance", "protocol", "schemas")
"""Where the schemas of a format lie, in a folder named after it."""
BLOCK = re.compile(r"(<!-- register: (\w+) -->\n)(.*?)(<!-- end -->)", re.S)


def stale_table(tree: Tree) -> Iterator[Found]:
    """A table of a chapter is not what the register says, or is not there."""
    for format, register in tree.registers.items():
        chapter = tree.chapters.get(format)
        if chapter is None:
            yield f"spec/{format}.toml", "a register without a chapter"
            continue
        text = chapter.path.read_text("utf-8")
        found = {block[2]: block[3] for block in BLOCK.finditer(text)}
        for name, table in tables(register, tree.unseen.get(format)).items():
            if name not in found:
                yield tree.show(chapter.path), f"no table between <!-- register: {name} --> marks"
            elif found[name] != table:
                line = text[: text.index(f"<!-- register: {name} -->")].count("\n") + 1
                yield (
                    tree.show(chapter.path, line),
                    f"the table of {name} is not that of the register:"
                    " run python -m conformance.traceability.write_tables",
                )


def stale_schema(tree: Tree) -> Iterator[Found]:
    """A schema of a format is not what its register says, or is not there."""
    for format, register in tree.registers.items():
        for name, schema in schemas_of(register).items():
            path = tree.root / SCHEMAS / format / name
            if not path.exists() or path.read_text("utf-8") != text_of(schema):
                yield (
                    tree.show(path),
                    "not what the register says:"
                    " run python -m conformance.traceability.write_tables",
                )


def fault_without_reason(tree: Tree) -> Iterator[Found]:
    """A fault of a register has a reason that it does not list, or a reason has no fault."""
    for format, register in tree.registers.items():
        place = f"spec/{format}.toml"
        for one in register.faults:
            if one.reason not in register.reasons:
                yield place, f"fault {one.fault!r}: no reason {one.reason!r}"
        for code in register.reasons if register.faults else ():
            if all(one.reason != code for one in register.faults):
                yield place, f"reason {code!r}: no fault has it"


def foreign_prefix(tree: Tree) -> Iterator[Found]:
    """A chapter's ids do not begin as its register says."""
    for format, register in tree.registers.items():
        chapter = tree.chapters.get(format)
        for prefix in sorted({id[:3] for id in chapter.ids} if chapter else ()):
            if prefix != register.prefix:
                yield f"spec/{format}.toml", f"prefix {register.prefix}: the chapter has {prefix}"


def unexplained_flip(tree: Tree) -> Iterator[Found]:
    """A flip of a search that nothing tells has no reason in the register, or a reason no flip."""
    for format, register in tree.registers.items():
        searched = tree.unseen.get(format)
        place = f"spec/{format}.toml"
        if searched is None:
            if register.unseen:
                text = "reasons of unseen flips, and no search: run walproof sweep --flips --save"
                yield place, text
            continue
        for said in undetected_flips.problems(register, searched):
            yield place, said
        for id in sorted(searched.logs.keys() - tree.vectors.keys()):
            yield (
                f"spec/{undetected_flips.FOLDER}/{format}.json",
                f"there is no vector {id}: run walproof sweep --flips --save",
            )


def tables(register: Register, searched: undetected_flips.Searched | None = None) -> dict[str, str]:
    """The tables of a chapter in Markdown, by name; none for a part that is empty.

    ``searched`` is what one bit did in a search, where there was one.
    """
    made = {
        "reasons": _reasons(register.reasons.values()),
        "faults": _faults(register.faults),
        "fields": _table(("field", "type", "meaning"), map(_field, register.fields.values())),
        "fields_to_write": _table(
            ("field", "type", "of", "without it"),
            map(_field_to_write, register.fields_to_write.values()),
        ),
        "context": _table(
            ("key", "type", "default", "read by", "meaning"), map(_key, register.context.values())
        ),
        "unseen": undetected_flips.table(register, searched) if searched else "",
    }
    return {name: table for name, table in made.items() if table}


def rewritten(
    text: str, register: Register, searched: undetected_flips.Searched | None = None
) -> str:
    """A chapter with its tables as the register and the search have them."""
    made = tables(register, searched)
    return BLOCK.sub(lambda block: block[1] + made.get(block[2], block[3]) + block[4], text)


def _reasons(reasons: Iterable[Reason]) -> str:
    rows = ([f"`{one.code}`", ", ".join(one.kinds), ", ".join(one.requirements)] for one in reasons)
    return _table(("code", "kind", "requirement"), rows)


def _faults(faults: Sequence[Fault]) -> str:
    rows = (
        [one.fault, f"`{one.reason}`", ", ".join(one.requirements), one.bytes, one.then]
        for one in faults
    )
    return _table(("fault", "reason", "requirement", "bytes", "what follows"), rows)


def _field(field: RecordField) -> list[str]:
    return [f"`{field.name}`", " or ".join(field.types), field.meaning]


def _field_to_write(field: FieldToWrite) -> list[str]:
    return [f"`{field.name}`", " or ".join(field.types), field.of, field.default]


def _key(key: ContextKey) -> list[str]:
    values = [f"`{value}`" for value in key.values]
    types = key.kinds() + values
    default = "–" if key.default is None else f"`{json.dumps(key.default)}`"
    return [f"`{key.name}`", " or ".join(types), default, ", ".join(key.read_by), key.meaning]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    return f"| {' | '.join(head)} |\n{'|---' * len(head)}|\n{''.join(lines)}" if lines else ""
