"""What a word names in a format: a requirement, a reason, a field, a context key, a fault."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from reference_impl.paths import GRAMMARS, ROOT
from reference_impl.register import (
    ContextKey,
    FieldToWrite,
    Reason,
    RecordField,
    Register,
    registers,
)
from walproof.review.prose import Requirement, requirements

_INDEX = re.compile(r"\[[^]]*\]")


class Unknown(Exception):
    """A word that names nothing; the text says what is near it."""


@dataclass(frozen=True)
class GrammarField:
    """A field of a grammar: ``place`` is ``file/type.field``."""

    place: str
    type: str
    doc: str
    requirements: tuple[str, ...]


Meaning = Requirement | Reason | RecordField | FieldToWrite | ContextKey | GrammarField


@dataclass(frozen=True)
class Subject:
    """A word in a format, and all that it names there: a word may be a field and a reason."""

    register: Register
    word: str
    meanings: tuple[Meaning, ...]


@functools.cache
def prose() -> Mapping[str, Requirement]:
    """Every requirement of every chapter, by id."""
    return requirements(ROOT)


def subjects(word: str, format: str | None = None) -> list[Subject]:
    """What a word names, in one format or in each that has it. Raises :class:`Unknown`."""
    asked = [registers()[format]] if format else list(registers().values())
    found = [Subject(one, word, meanings) for one in asked if (meanings := _meanings(one, word))]
    if not found:
        known = sorted({name for one in asked for name in known_to(one, word)} | set(registers()))
        near = difflib.get_close_matches(word, known, n=3) or difflib.get_close_matches(
            word.upper(), known, n=3
        )
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        where = f"of {format}" if format else "of any format"
        raise Unknown(
            f"{word} is no requirement, reason code, record field, context key or grammar field"
            f" {where}{hint}"
        )
    return found


def known_to(register: Register, word: str) -> Iterator[str]:
    """All that a word may have meant: of a path with a name that is none, fields in its place."""
    yield from names_of(register)
    outer, dot, _ = word.rpartition(".")
    steps = _INDEX.sub("", outer).split(".") if dot else []
    documents = {name: _document(name) for one in register.grammars for name in _files(one.name)}
    types = [(one.name, documents[one.name]) for one in register.grammars]
    for step in steps:
        fields = [field for _, body in types for field in _fields(body, step)]
        types = [one for field in fields for one in _types(documents, field)]
    for _, body in types:
        yield from (f"{outer}{dot}{field['id']}" for field in body.get("seq", ()) if "id" in field)
        yield from (f"{outer}{dot}{name}" for name in body.get("instances", {}))


def names_of(register: Register) -> Iterator[str]:
    """All that can be asked of a format, but for the fields of its grammars."""
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
    found = [table[word] for table in named if word in table]
    return (*found, *_grammar_fields(register, word))


def _grammar_fields(register: Register, path: str) -> Iterator[GrammarField]:
    """The fields to which a path leads, from the whole log or from a type on; else those whose
    name ends it."""
    steps = _INDEX.sub("", path).split(".")
    documents = {name: _document(name) for one in register.grammars for name in _files(one.name)}
    if len(steps) > 1:
        places = _led(documents, [one.name for one in register.grammars], steps)
        if places:
            yield from places
            return
    found = [
        field for name, document in documents.items() for field in _named(document, name, steps[-1])
    ]
    owner = steps[-2].rstrip("s") if len(steps) > 1 else None
    fitting = [field for field in found if owner and owner in field.place]
    # Of a path that leads nowhere the last name alone would be another field.
    yield from fitting or (found if len(steps) == 1 else ())


def _led(
    documents: Mapping[str, Mapping[str, Any]], tops: Sequence[str], steps: Sequence[str]
) -> list[GrammarField]:
    """The fields to which a path from the whole log leads, through any case of a switch."""
    types = [(name, documents[name]) for name in tops]
    for step in steps[:-1]:
        fields = [field for _, body in types for field in _fields(body, step)]
        types = [one for field in fields for one in _types(documents, field)]
    places = {place: field for place, body in types for field in _fields(body, steps[-1])}
    return [_grammar_field(f"{place}.{steps[-1]}", field) for place, field in places.items()]


def _types(
    documents: Mapping[str, Mapping[str, Any]], field: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The types that a field may have, each with its place."""
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
    """A grammar and those that it imports."""
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


def _named(body: Mapping[str, Any], place: str, name: str) -> Iterator[GrammarField]:
    yield from (_grammar_field(f"{place}.{name}", field) for field in _fields(body, name))
    for inner, inner_body in body.get("types", {}).items():
        yield from _named(inner_body, f"{place.split('/')[0]}/{inner}", name)


def _grammar_field(place: str, field: Mapping[str, Any]) -> GrammarField:
    cited = field.get("-requirement", ())
    kind = field.get("type", "bytes" if "size" in field else "computed")
    return GrammarField(
        f"ksy/{place}",
        kind if isinstance(kind, str) else "depends on the data",
        " ".join(str(field.get("doc", "")).split()),
        (cited,) if isinstance(cited, str) else tuple(cited),
    )
