"""Look up a word in a format: requirement, reason, record field or context key."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.chapter import Requirement, chapter
from reference_impl.register import (
    ContextKey,
    FieldToWrite,
    Reason,
    RecordField,
    Register,
    registers,
)


class Unknown(Exception):
    """Raised for a word without a meaning; the message suggests similar words."""


Meaning = Requirement | Reason | RecordField | FieldToWrite | ContextKey


@dataclass(frozen=True)
class Subject:
    """A format, and the meanings of a word in it. A word may be both a field and a reason."""

    register: Register
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
        Subject(register, meanings)
        for register in formats
        if (meanings := _meanings(register, word))
    ]
    if not matches:
        candidates = sorted(
            {name for register in formats for name in names_of(register)} | set(registers())
        )
        near = difflib.get_close_matches(word, candidates, n=3) or difflib.get_close_matches(
            word.upper(), candidates, n=3
        )
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        scope = f"of {format}" if format else "of any format"
        raise Unknown(
            f"{word} is not a requirement, reason code, record field or context key {scope}{hint}"
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
