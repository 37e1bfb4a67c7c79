"""Look up a word in a format: requirement, reason, field, context key or grammar field."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
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
    documents = {
        name: _document(name) for grammar in register.grammars for name in _files(grammar.name)
    }
    types = [(grammar.name, documents[grammar.name]) for grammar in register.grammars]
    for step in steps:
        fields = [field for _, body in types for field in _fields(body, step)]
        types = [grammar for field in fields for grammar in _types(documents, field)]
    for _, body in types:
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


def _grammar_fields(register: Register, path: str) -> Iterator[GrammarField]:
    """Yield the fields to which a path refers, from the whole log or from a type.

    If there are none, yield the fields whose name is the last step of the path.
    """
    steps = _INDEX.sub("", path).split(".")
    documents = {
        name: _document(name) for grammar in register.grammars for name in _files(grammar.name)
    }
    if len(steps) > 1:
        exact = _fields_at(documents, [grammar.name for grammar in register.grammars], steps)
        if exact:
            yield from exact
            return
    named = [
        field for name, document in documents.items() for field in _named(document, name, steps[-1])
    ]
    owner = steps[-2].rstrip("s") if len(steps) > 1 else None
    fitting = [field for field in named if owner and owner in field.path]
    # Without its path, the last name could refer to an unrelated field.
    yield from fitting or (named if len(steps) == 1 else ())


def _fields_at(
    documents: Mapping[str, Mapping[str, Any]], tops: Sequence[str], steps: Sequence[str]
) -> list[GrammarField]:
    """Return the fields that a path from the whole log refers to, through any case of a switch."""
    types = [(name, documents[name]) for name in tops]
    for step in steps[:-1]:
        fields = [field for _, body in types for field in _fields(body, step)]
        types = [type for field in fields for type in _types(documents, field)]
    matches = {path: field for path, body in types for field in _fields(body, steps[-1])}
    return [_grammar_field(f"{path}.{steps[-1]}", field) for path, field in matches.items()]


def _types(
    documents: Mapping[str, Mapping[str, Any]], field: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the types that a field may have, each with its location."""
    named = field.get("type", "")
    names = named.get("cases", {}).values() if isinstance(named, Mapping) else [named]
    short = {str(name).split("(")[0].split("::")[-1] for name in names}
    for file, document in documents.items():
        if file in short:
            yield file, document
        yield from _inner_types(document, file, short)


def _inner_types(
    body: Mapping[str, Any], file: str, names: Collection[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for inner, inner_body in body.get("types", {}).items():
        if inner in names:
            yield f"{file}/{inner}", inner_body
        yield from _inner_types(inner_body, file, names)


def _files(grammar: str) -> Iterator[str]:
    """Yield a grammar and its imports."""
    yield grammar
    for imported in _document(grammar)["meta"].get("imports", ()):
        yield from _files(imported)


@functools.cache
def _document(name: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = yaml.safe_load((GRAMMARS / f"{name}.ksy").read_bytes())
    return loaded


def _fields(body: Mapping[str, Any], name: str) -> Iterator[Mapping[str, Any]]:
    yield from (field for field in body.get("seq", ()) if field.get("id") == name)
    if name in body.get("instances", {}):
        yield body["instances"][name]


def _named(body: Mapping[str, Any], path: str, name: str) -> Iterator[GrammarField]:
    yield from (_grammar_field(f"{path}.{name}", field) for field in _fields(body, name))
    for inner, inner_body in body.get("types", {}).items():
        yield from _named(inner_body, f"{path.split('/')[0]}/{inner}", name)


def _grammar_field(path: str, field: Mapping[str, Any]) -> GrammarField:
    cited = field.get("-requirement", ())
    type = field.get("type", "bytes" if "size" in field else "computed")
    return GrammarField(
        f"ksy/{path}",
        type if isinstance(type, str) else "depends on the data",
        " ".join(str(field.get("doc", "")).split()),
        (cited,) if isinstance(cited, str) else tuple(cited),
    )
