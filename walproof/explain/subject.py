"""Look up a word in a format: requirement, reason, field, context key or grammar field."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from conformance.chapter import Requirement, chapter
from reference_impl.paths import GRAMMARS
from reference_impl.register import (
    ContextKey,
    FieldToWrite,
    Reason,
    RecordField,
    Register,
    registers,
)

_INDEX = re.compile(r"\[[^]]*\]")


class Unknown(Exception):
    """Raised for a word without a meaning; the message suggests similar words."""


@dataclass(frozen=True)
class GrammarField:
    """A field of a grammar: ``path`` is ``file/type.field``."""

    path: str
    type: str
    doc: str
    requirements: tuple[str, ...]


#: A type of a grammar: ``file/type`` or ``file``, and its definition.
_Type = tuple[str, Mapping[str, Any]]
Meaning = Requirement | Reason | RecordField | FieldToWrite | ContextKey | GrammarField


@dataclass(frozen=True)
class Subject:
    """A word in a format, and its meanings there; a word may be both a field and a reason."""

    register: Register
    word: str
    meanings: tuple[Meaning, ...]


@functools.cache
def prose() -> Mapping[str, Requirement]:
    """Return every requirement of every chapter, by id."""
    chapters = [chapter(format) for format in registers()]
    return {id: requirement for c in chapters for id, requirement in c.requirements.items()}


def subjects(word: str, format: str | None = None) -> list[Subject]:
    """Return the meanings of a word, in one format or in all. Raises :class:`Unknown`."""
    formats = [registers()[format]] if format else list(registers().values())
    matches = [
        Subject(register, word, meanings)
        for register in formats
        if (meanings := _meanings(register, word))
    ]
    if not matches:
        candidates = sorted(
            {name for register in formats for name in suggestions(register, word)}
            | set(registers())
        )
        near = difflib.get_close_matches(word, candidates, n=3) or difflib.get_close_matches(
            word.upper(), candidates, n=3
        )
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        scope = f"of {format}" if format else "of any format"
        raise Unknown(
            f"{word} is not a requirement, reason code, record field, context key or grammar field"
            f" {scope}{hint}"
        )
    return matches


def suggestions(register: Register, word: str) -> Iterator[str]:
    """Yield candidates for a misspelled word; for a path, the fields at its position."""
    yield from names_of(register)
    outer, dot, _ = word.rpartition(".")
    steps = _INDEX.sub("", outer).split(".") if dot else []
    for _, body in _types_at(register, steps):
        yield from (f"{outer}{dot}{field['id']}" for field in body.get("seq", ()) if "id" in field)
        yield from (f"{outer}{dot}{name}" for name in body.get("instances", {}))


def names_of(register: Register) -> Iterator[str]:
    """Yield the words of a format, except the fields of its grammars."""
    yield from (id for id in prose() if id.startswith(f"{register.prefix}-"))
    yield from register.reasons
    yield from register.fields
    yield from register.fields_to_write
    yield from register.context


def _meanings(register: Register, word: str) -> tuple[Meaning, ...]:
    id = word.upper()
    if id in prose():
        return (prose()[id],) if id.startswith(f"{register.prefix}-") else ()
    named: list[Mapping[str, Any]] = [
        register.reasons,
        register.fields,
        register.fields_to_write,
        register.context,
    ]
    meanings = [table[word] for table in named if word in table]
    return (*meanings, *_grammar_fields(register, word))


def _grammar_fields(register: Register, path: str) -> list[GrammarField]:
    """Return the fields with this path in the whole log or a type, or else with its last step."""
    *outer, name = _INDEX.sub("", path).split(".")
    if not outer:
        return _fields_of(_types(register), name)
    exact = _fields_of(_types_at(register, outer), name)
    # Without its path, the last name could refer to an unrelated field.
    owner = outer[-1].rstrip("s")
    return exact or [
        field for field in _fields_of(_types(register), name) if owner and owner in field.path
    ]


def _types_at(register: Register, steps: Sequence[str]) -> list[_Type]:
    """Return the types that a path from the whole log leads to, through any case of a switch."""
    tops = {grammar.name for grammar in register.grammars}
    types = [each for each in _types(register) if each[0] in tops]
    for step in steps:
        names = set()
        for field in (field for _, body in types for field in _fields(body, step)):
            named = field.get("type", "")
            cases = named.get("cases", {}).values() if isinstance(named, Mapping) else [named]
            names |= {str(case).split("(")[0].split("::")[-1] for case in cases}
        types = [each for each in _types(register) if each[0].rpartition("/")[2] in names]
    return types


def _types(register: Register) -> list[_Type]:
    """Return every type of the grammars of a format and of their imports."""
    files = dict.fromkeys(
        name for grammar in register.grammars for name in _with_imports(grammar.name)
    )

    def walk(file: str, body: Mapping[str, Any]) -> Iterator[_Type]:
        for name, inner in body.get("types", {}).items():
            yield f"{file}/{name}", inner
            yield from walk(file, inner)

    return [each for file in files
            for each in ((file, _document(file)), *walk(file, _document(file)))]  # fmt: skip


def _with_imports(grammar: str) -> Iterator[str]:
    yield grammar
    for imported in _document(grammar)["meta"].get("imports", ()):
        yield from _with_imports(imported)


@functools.cache
def _document(name: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = yaml.safe_load((GRAMMARS / f"{name}.ksy").read_bytes())
    return loaded


def _fields(body: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    yield from (field for field in body.get("seq", ()) if field.get("id") == name)
    if name in body.get("instances", {}):
        yield body["instances"][name]


def _fields_of(types: Iterable[_Type], name: str) -> list[GrammarField]:
    found = {}
    for path, body in types:
        for field in _fields(body, name):
            cited = field.get("-requirement", ())
            type = field.get("type", "bytes" if "size" in field else "computed")
            found[path] = GrammarField(
                f"ksy/{path}.{name}",
                type if isinstance(type, str) else "depends on the data",
                " ".join(str(field.get("doc", "")).split()),
                (cited,) if isinstance(cited, str) else tuple(cited),
            )
    return list(found.values())
