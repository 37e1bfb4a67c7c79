"""Print the page of ``walproof explain``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conformance.chapter import Requirement
from conformance.reports.console_text import print_tidy
from conformance.vectors import Vector
from reference_impl.paths import SPEC
from reference_impl.register import (
    ContextKey,
    Fault,
    FieldToWrite,
    Reason,
    RecordField,
    Register,
)
from walproof.explain import evidence
from walproof.explain.subject import GrammarField, Meaning, Subject, prose

#: Maximum number of vectors or lines of code without ``--all``.
MAX_SHOWN = 6


def print_format(console: Console, register: Register) -> None:
    """Print the names of a format: requirements, reasons, fields and context keys."""
    console.print(Text(register.title, style="bold"))
    console.print(f"{SPEC.name}/{register.id}.md; files: {', '.join(register.file_names)}")
    requirements = [item for id, item in prose().items() if id.startswith(f"{register.prefix}-")]
    console.print(
        f"{len(requirements)} requirements, {requirements[0].id} to {requirements[-1].id}"
    )
    _heading(console, "Reason codes")
    rows = [(item.code, ", ".join(item.kinds), " ".join(item.requirements))
            for item in register.reasons.values()]  # fmt: skip
    _columns(console, rows)
    _heading(console, "Fields of a record")
    _columns(
        console,
        [(item.name, " or ".join(item.types), item.meaning) for item in register.fields.values()],
    )
    if register.fields_to_write:
        _heading(console, "Fields of a record to write")
        _columns(
            console,
            [
                (item.name, " or ".join(item.types), f"of {item.of}; default: {item.default}")
                for item in register.fields_to_write.values()
            ],
        )
    if register.context:
        _heading(console, "Context keys of readers and writers")
        for key in register.context.values():
            types, default, text = _context(key)
            line = f"{key.name} ({', '.join(key.read_by)}): {types}, {default}"
            _put(console, Padding(Text(line), (0, 2)))
            _put(console, Padding(Text(text, style="dim"), (0, 2, 0, 6)))
    console.print(f"\nUse 'walproof explain {register.id} NAME' for details.")


def print_subject(console: Console, subject: Subject, is_complete: bool) -> None:
    """Print the meanings of a word in one format, one after the other."""
    for meaning in subject.meanings:
        _print_meaning(console, subject.register, meaning)
        if isinstance(meaning, RecordField | FieldToWrite):
            continue
        exercised = evidence.vectors(subject.register, meaning)
        lines = evidence.code(subject.register, meaning)
        limit = len(lines) + len(exercised) if is_complete else MAX_SHOWN
        if lines:
            _heading(console, "Code")
            _columns(console, [(at, Text(line, overflow="ellipsis", no_wrap=True))
                               for at, line in lines[:limit]])  # fmt: skip
            _more(console, len(lines) - limit)
        _heading(console, f"Vectors ({len(exercised)})")
        _print_vectors(console, exercised, limit)
        _print_failures(console, exercised)


def _print_meaning(console: Console, register: Register, meaning: Meaning) -> None:
    match meaning:
        case Requirement():
            _title(console, f"{meaning.id} ({meaning.level})", meaning.where)
            _put(console, Padding(Markdown(meaning.markdown), (1, 2)))
            _print_faults(console, [f for f in register.faults if meaning.id in f.requirements])
        case Reason():
            _title(
                console, meaning.code, f"{register.title}: reason code ({', '.join(meaning.kinds)})"
            )
            _put(console, Padding(meaning.words, (0, 2)))
            faults = [fault for fault in register.faults if fault.reason == meaning.code]
            _print_faults(console, faults)
            _print_sentences(console, meaning.requirements)
        case RecordField():
            _title(console, meaning.name, f"{register.title}: field of a record")
            optional = "; not in every record" if meaning.optional else ""
            _put(
                console,
                Padding(f"{' or '.join(meaning.types)}: {meaning.meaning}{optional}", (0, 2)),
            )
        case FieldToWrite():
            _title(console, meaning.name, f"{register.title}: field of a record to write")
            text = f"{' or '.join(meaning.types)}, of {meaning.of}; default: {meaning.default}"
            _put(console, Padding(text, (0, 2)))
        case ContextKey():
            _title(console, meaning.name, f"{register.title}: context key")
            types, default, text = _context(meaning)
            _put(console, Padding(f"{types}, {default}", (0, 2)))
            _put(console, Padding(f"read by {', '.join(meaning.read_by)}", (0, 2)))
            _put(console, Padding(text, (0, 2)))
        case GrammarField():
            _title(console, meaning.path, f"{register.title}: field of type {meaning.type}")
            if meaning.doc:
                _put(console, Padding(meaning.doc, (0, 2)))
            _print_sentences(console, meaning.requirements)


def _context(key: ContextKey) -> tuple[str, str, str]:
    types = " or ".join(key.values or key.kinds())
    default = "no default" if key.default is None else f"default {json.dumps(key.default)}"
    return types, default, key.meaning


def _print_sentences(console: Console, ids: Iterable[str]) -> None:
    for id in ids:
        sentence = prose()[id].markdown.split("\n\n")[0]
        _put(console, Padding(Markdown(f"**{id}** {sentence}"), (1, 2, 0, 2)))


def _print_faults(console: Console, faults: Sequence[Fault]) -> None:
    if not faults:
        return
    _heading(console, "Faults")
    for fault in faults:
        _put(console, Padding(Markdown(f"{fault.fault}: `{fault.reason}`"), (0, 2)))
        _put(console, Padding(Markdown(f"lost: {fault.bytes}; then: {fault.then}"), (0, 2, 0, 6)))


def _print_vectors(console: Console, exercised: Sequence[Vector], limit: int) -> None:
    rows = [(vector.id.split("/")[1], str(vector.body["title"])) for vector in exercised]
    _columns(console, rows[:limit])
    _more(console, len(rows) - limit)


def _print_failures(console: Console, exercised: Sequence[Vector]) -> None:
    failures = evidence.failures(exercised)
    if not failures:
        return
    _heading(console, "Readers that fail these vectors")
    for name, causes in failures.items():
        for cause, ids in causes.items():
            text = Text(f"{name}, {len(ids)} of {len(exercised)}: ").append(cause, style="dim")
            _put(console, Padding(text, (0, 2)))


def _put(console: Console, shown: Padding) -> None:
    """Print without the trailing spaces that rich adds."""
    print_tidy(shown, console)


def _title(console: Console, name: str, note: str) -> None:
    print_tidy(Text(name, style="bold").append(f"  {note}", style="not bold dim"), console)


def _heading(console: Console, text: str) -> None:
    console.print(Text(f"\n{text}", style="bold"))


def _columns(console: Console, rows: Sequence[Sequence[str | Text]], indent: int = 2) -> None:
    if not rows:
        return
    table = Table.grid(padding=(0, 2))
    for number in range(len(rows[0])):
        first = number == 0
        table.add_column(no_wrap=first, overflow="fold", max_width=44 if first else None)
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    _put(console, Padding(table, (0, 0, 0, indent)))


def _more(console: Console, count: int) -> None:
    if count > 0:
        _put(console, Padding(Text(f"… and {count} more (--all)", style="dim"), (0, 2)))
