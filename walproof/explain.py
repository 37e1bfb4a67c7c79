"""``walproof explain``: explain requirements, reason codes, fields and context keys."""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from conformance import known_failures
from conformance.chapter import Requirement, chapter
from conformance.reports.console_text import print_tidy
from conformance.vectors import Vector, load_all
from reference_impl.paths import SPEC
from reference_impl.register import (
    ContextKey,
    Fault,
    FieldToWrite,
    Reason,
    RecordField,
    Register,
    registers,
)
from walproof.cli.near_names import did_you_mean
from walproof.implementations import all_implementations

#: Maximum number of vectors to list without ``--all``.
MAX_SHOWN = 6


class UnknownWord(Exception):
    """Raised for an unknown word. The message suggests similar words."""


Meaning = Requirement | Reason | RecordField | FieldToWrite | ContextKey


@dataclass(frozen=True)
class Explanation:
    """The meanings of a word in one format. A word may be both a field and a reason code."""

    register: Register
    meanings: tuple[Meaning, ...]


@functools.cache
def prose() -> Mapping[str, Requirement]:
    """Return every requirement of every chapter, by id."""
    chapters = [chapter(format) for format in registers()]
    return {id: requirement for c in chapters for id, requirement in c.requirements.items()}


def subjects(word: str, format: str | None = None) -> list[Explanation]:
    """Return the meanings of a word in one format or in all formats.

    Raises :class:`UnknownWord`.
    """
    formats = [registers()[format]] if format else list(registers().values())
    matches = [
        Explanation(register, meanings)
        for register in formats
        if (meanings := _meanings(register, word))
    ]
    if not matches:
        candidates = sorted(
            {name for register in formats for name in names_of(register)} | set(registers())
        )
        scope = f"of {format}" if format else "of any format"
        raise UnknownWord(
            f"{word} is not a requirement, reason code, record field or context key {scope}"
            f"{did_you_mean(word, candidates)}"
        )
    return matches


def names_of(register: Register) -> Iterator[str]:
    """Yield the words that have a meaning in a format."""
    yield from (id for id in prose() if id.startswith(f"{register.prefix}-"))
    for table in _tables(register):
        yield from table


def _tables(register: Register) -> Sequence[Mapping[str, Meaning]]:
    return register.reasons, register.fields, register.fields_to_write, register.context


def _meanings(register: Register, word: str) -> tuple[Meaning, ...]:
    id = word.upper()
    if id in prose():
        return (prose()[id],) if id.startswith(f"{register.prefix}-") else ()
    return tuple(table[word] for table in _tables(register) if word in table)


def vectors_of(register: Register, meaning: Meaning) -> list[Vector]:
    """Return the format's vectors that exercise a meaning, ordered by id."""
    of_format = (each for each in load_all().values() if each.body["format"] == register.id)
    return [vector for vector in of_format if _exercises(vector.body, meaning)]


def _exercises(body: Mapping[str, Any], meaning: Meaning) -> bool:
    match meaning:
        case Requirement():
            return meaning.id in body["requirements"]
        case Reason():
            return f'"reason": "{meaning.code}"' in json.dumps(body)
        case ContextKey():
            return meaning.name in body["context"]
        case RecordField() | FieldToWrite():
            return False  # Nearly every vector contains such a field.


def failures_of(ids: Collection[str]) -> dict[str, dict[str, set[str]]]:
    """Return the vectors among ``ids`` that are known to fail, by implementation and cause."""
    failing: dict[str, dict[str, set[str]]] = {}
    for implementation in all_implementations():
        listed = known_failures.load(implementation.known_failures)
        for entry in listed.entries.values():
            if entry.vector in ids:
                causes = failing.setdefault(implementation.name, defaultdict(set))
                causes[listed.causes[entry.cause]].add(entry.vector)
    return failing


def print_format(console: Console, register: Register) -> None:
    """Print the requirements, reason codes, fields and context keys of a format."""
    console.print(Text(register.title, style="bold"))
    console.print(f"{SPEC.name}/{register.id}.md; files: {', '.join(register.file_names)}")
    requirements = [item for id, item in prose().items() if id.startswith(f"{register.prefix}-")]
    console.print(
        f"{len(requirements)} requirements, {requirements[0].id} to {requirements[-1].id}"
    )
    sections = {
        "Reason codes": [
            (item.code, ", ".join(item.kinds), " ".join(item.requirements))
            for item in register.reasons.values()
        ],
        "Fields of a record": [
            (item.name, " or ".join(item.types), item.meaning) for item in register.fields.values()
        ],
        "Fields of a record to write": [
            (item.name, " or ".join(item.types), f"of {item.of}; default: {item.default}")
            for item in register.fields_to_write.values()
        ],
    }
    for heading, rows in sections.items():
        _print_rows(console, heading, rows)
    if register.context:
        _heading(console, "Context keys of readers and writers")
        for key in register.context.values():
            _put(console, f"{key.name} ({', '.join(key.read_by)}): {_types_of(key)}")
            _put(console, Text(key.meaning, style="dim"), left=6)
    console.print(f"\nUse 'walproof explain {register.id} NAME' for details.")


def print_subject(console: Console, subject: Explanation, is_complete: bool) -> None:
    """Print the meanings of a word in one format, one after the other."""
    for meaning in subject.meanings:
        _print_meaning(console, subject.register, meaning)
        if isinstance(meaning, RecordField | FieldToWrite):
            continue
        vectors = vectors_of(subject.register, meaning)
        rows = [(vector.id.split("/")[1], str(vector.body["title"])) for vector in vectors]
        limit = None if is_complete else MAX_SHOWN
        _print_rows(console, f"Vectors ({len(vectors)})", rows, limit, is_optional=False)
        failures = failures_of({vector.id for vector in vectors})
        if failures:
            _heading(console, "Readers that fail these vectors")
        for name, causes in failures.items():
            for cause, ids in causes.items():
                text = Text(f"{name}, {len(ids)} of {len(vectors)}: ").append(cause, style="dim")
                _put(console, text)


def _print_meaning(console: Console, register: Register, meaning: Meaning) -> None:
    name, note, paragraphs = _describe(register.title, meaning)
    title = Text(name, style="bold").append(f"  {note}", style="not bold dim")
    print_tidy(title, console)
    for text in paragraphs:
        _put(console, text)
    faults = [fault for fault in register.faults if _is_about(fault, meaning)]
    if faults:
        _heading(console, "Faults")
    for fault in faults:
        _put(console, Markdown(f"{fault.fault}: `{fault.reason}`"))
        _put(console, Markdown(f"lost: {fault.bytes}; then: {fault.then}"), left=6)
    for id in meaning.requirements if isinstance(meaning, Reason) else ():
        sentence = prose()[id].markdown.split("\n\n")[0]
        _put(console, Markdown(f"**{id}** {sentence}"), above=1)


def _is_about(fault: Fault, meaning: Meaning) -> bool:
    if isinstance(meaning, Requirement):
        return meaning.id in fault.requirements
    return isinstance(meaning, Reason) and fault.reason == meaning.code


def _describe(format: str, meaning: Meaning) -> tuple[str, str, Sequence[RenderableType]]:
    match meaning:
        case Requirement(id=id):
            markdown = Padding(Markdown(meaning.markdown), (1, 0))
            return f"{id} ({meaning.level})", meaning.where, [markdown]
        case Reason(code=code):
            return code, f"{format}: reason code ({', '.join(meaning.kinds)})", [meaning.words]
        case RecordField(name=name):
            optional = "; not in every record" if meaning.optional else ""
            text = f"{' or '.join(meaning.types)}: {meaning.meaning}{optional}"
            return name, f"{format}: field of a record", [text]
        case FieldToWrite(name=name):
            text = f"{' or '.join(meaning.types)}, of {meaning.of}; default: {meaning.default}"
            return name, f"{format}: field of a record to write", [text]
        case ContextKey(name=name):
            texts = [_types_of(meaning), f"read by {', '.join(meaning.read_by)}", meaning.meaning]
            return name, f"{format}: context key", texts


def _types_of(key: ContextKey) -> str:
    default = "no default" if key.default is None else f"default {json.dumps(key.default)}"
    return f"{' or '.join(key.values or key.kinds())}, {default}"


def _put(console: Console, shown: RenderableType, left: int = 2, above: int = 0) -> None:
    """Print a text indented, without the trailing spaces that rich adds."""
    print_tidy(Padding(shown, (above, 2, 0, left)), console)


def _heading(console: Console, text: str) -> None:
    console.print(Text(f"\n{text}", style="bold"))


def _print_rows(
    console: Console,
    heading: str,
    rows: Sequence[Sequence[str | Text]],
    limit: int | None = None,
    is_optional: bool = True,
) -> None:
    if rows or not is_optional:
        _heading(console, heading)
    if not rows:
        return
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, overflow="fold", max_width=44)
    for row in rows[:limit]:
        table.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    print_tidy(Padding(table, (0, 0, 0, 2)), console)
    if limit is not None and len(rows) > limit:
        _put(console, Text(f"… and {len(rows) - limit} more (--all)", style="dim"))
