"""Generate the tables of a chapter from its register and from a bit-flip search.

Each table is between ``<!-- register: NAME -->`` and ``<!-- end -->``. To regenerate the tables,
run ``python -m conformance.traceability.write_tables``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from conformance import undetected_flips
from conformance.protocol.format_schemas import schemas_of, text_of
from conformance.traceability.source_tree import Found, SourceTree
from reference_impl.register import (
    ContextKey,
    Fault,
    FieldToWrite,
    Reason,
    RecordField,
    Register,
)

# The directory of the schemas, with one subdirectory per format.
SCHEMAS = Path("conformance", "protocol", "schemas")
# For each of these parts of an answer, a chapter names one deciding requirement.
DECIDED_PARTS = ("verdict", "end", "strict")
BLOCK = re.compile(r"(<!-- register: (\w+) -->\n)(.*?)(<!-- end -->)", re.S)


def stale_table(tree: SourceTree) -> Iterator[Found]:
    """Report tables of a chapter that are missing or differ from the register."""
    for format, register in tree.registers.items():
        chapter = tree.chapters.get(format)
        if chapter is None:
            yield f"spec/{format}.toml", "a register without a chapter"
            continue
        text = chapter.path.read_text("utf-8")
        blocks = {block[2]: block[3] for block in BLOCK.finditer(text)}
        for name, table in tables(register, tree.unseen.get(format)).items():
            if name not in blocks:
                yield tree.show(chapter.path), f"no table between <!-- register: {name} --> marks"
            elif blocks[name] != table:
                line = text[: text.index(f"<!-- register: {name} -->")].count("\n") + 1
                yield (
                    tree.show(chapter.path, line),
                    f"the table of {name} differs from the register:"
                    " run python -m conformance.traceability.write_tables",
                )


def stale_schema(tree: SourceTree) -> Iterator[Found]:
    """Report schemas of a format that are missing or differ from the register."""
    for format, register in tree.registers.items():
        for name, schema in schemas_of(register).items():
            path = tree.root / SCHEMAS / format / name
            if not path.exists() or path.read_text("utf-8") != text_of(schema):
                yield (
                    tree.show(path),
                    "it differs from the register:"
                    " run python -m conformance.traceability.write_tables",
                )


def fault_without_reason(tree: SourceTree) -> Iterator[Found]:
    """Report faults whose reason the register does not list, and reasons without a fault."""
    for format, register in tree.registers.items():
        file = f"spec/{format}.toml"
        for fault in register.faults:
            if fault.reason not in register.reasons:
                yield file, f"fault {fault.fault!r}: no reason {fault.reason!r}"
        for code in register.reasons if register.faults else ():
            if all(fault.reason != code for fault in register.faults):
                yield file, f"reason {code!r}: no fault has it"


def undecided_part(tree: SourceTree) -> Iterator[Found]:
    """Report parts of an answer for which a register names no deciding requirement."""
    for format, register in tree.registers.items():
        chapter = tree.chapters.get(format)
        for part in DECIDED_PARTS:
            id = register.decides.get(part)
            if chapter is not None and id not in chapter.ids:
                expected = f"expected a requirement that decides {part}"
                yield f"spec/{format}.toml", f"decides: {expected}, found {id or 'nothing'}"


def foreign_prefix(tree: SourceTree) -> Iterator[Found]:
    """Report chapters whose ids have a different prefix from the one in the register."""
    for format, register in tree.registers.items():
        chapter = tree.chapters.get(format)
        for prefix in sorted({id[:3] for id in chapter.ids} if chapter else ()):
            if prefix != register.prefix:
                yield f"spec/{format}.toml", f"prefix {register.prefix}: the chapter has {prefix}"


def unexplained_flip(tree: SourceTree) -> Iterator[Found]:
    """Report undetected flips that the register does not explain, and reasons without a flip."""
    for format, register in tree.registers.items():
        searched = tree.unseen.get(format)
        file = f"spec/{format}.toml"
        if searched is None:
            if register.unseen:
                text = "reasons for unseen flips, but no search: run walproof sweep --flips --save"
                yield file, text
            continue
        for problem in undetected_flips.problems(register, searched):
            yield file, problem
        for id in sorted(searched["logs"].keys() - tree.vectors.keys()):
            yield (
                f"spec/{undetected_flips.FOLDER}/{format}.json",
                f"there is no vector {id}: run walproof sweep --flips --save",
            )


def tables(register: Register, searched: undetected_flips.Searched | None = None) -> dict[str, str]:
    """Return the tables of a chapter in Markdown, by name, without empty tables."""
    by_name = {
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
    return {name: table for name, table in by_name.items() if table}


def rewritten(
    text: str, register: Register, searched: undetected_flips.Searched | None = None
) -> str:
    """Return a chapter with regenerated tables."""
    by_name = tables(register, searched)
    return BLOCK.sub(lambda block: block[1] + by_name.get(block[2], block[3]) + block[4], text)


def _reasons(reasons: Iterable[Reason]) -> str:
    rows = (
        [f"`{reason.code}`", ", ".join(reason.kinds), ", ".join(reason.requirements)]
        for reason in reasons
    )
    return _table(("code", "kind", "requirement"), rows)


def _faults(faults: Sequence[Fault]) -> str:
    rows = (
        [fault.fault, f"`{fault.reason}`", ", ".join(fault.requirements), fault.bytes, fault.then]
        for fault in faults
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
