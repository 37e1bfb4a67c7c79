"""What a word names in a format: a requirement, a reason, a field, a context key, a fault."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from reference_impl.places import GRAMMARS, ROOT
from reference_impl.register import ContextKey, Reason, RecordField, Register, registers
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


Meaning = Requirement | Reason | RecordField | ContextKey | GrammarField


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
        known = sorted({name for one in asked for name in words(one)} | set(registers()))
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


def words(register: Register) -> Iterator[str]:
    """All that can be asked of a format, but for the fields of its grammars."""
    yield from (id for id in prose() if id.startswith(f"{register.prefix}-"))
    yield from register.reasons
    yield from register.fields
    yield from register.context


def _meanings(register: Register, word: str) -> tuple[Meaning, ...]:
    id = word.upper()
    if id in prose():
        return (prose()[id],) if id.startswith(f"{register.prefix}-") else ()
    named: list[Mapping[str, Any]] = [register.reasons, register.fields, register.context]
    found = [table[word] for table in named if word in table]
    return (*found, *_grammar_fields(register, word))


def _grammar_fields(register: Register, path: str) -> Iterator[GrammarField]:
    """The fields whose name ends a path; those of the type before it, if one fits."""
    steps = _INDEX.sub("", path).split(".")
    found = [
        field
        for grammar in register.grammars
        for field in _named(_document(grammar.name), grammar.name, steps[-1])
    ]
    owner = steps[-2].rstrip("s") if len(steps) > 1 else None
    fitting = [field for field in found if owner and owner in field.place]
    yield from fitting or found


@functools.cache
def _document(name: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = yaml.safe_load((GRAMMARS / f"{name}.ksy").read_bytes())
    return loaded


def _named(body: Mapping[str, Any], place: str, name: str) -> Iterator[GrammarField]:
    fields = [field for field in body.get("seq", ()) if field.get("id") == name]
    fields += [body["instances"][name]] if name in body.get("instances", {}) else []
    for field in fields:
        cited = field.get("-requirement", ())
        kind = field.get("type", "bytes" if "size" in field else "computed")
        yield GrammarField(
            f"ksy/{place}.{name}",
            kind if isinstance(kind, str) else "depends on the data",
            " ".join(str(field.get("doc", "")).split()),
            (cited,) if isinstance(cited, str) else tuple(cited),
        )
    for inner, inner_body in body.get("types", {}).items():
        yield from _named(inner_body, f"{place.split('/')[0]}/{inner}", name)
