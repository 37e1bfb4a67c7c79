"""Field maps: which bytes of a log are which field, by the log's Kaitai grammar.

The map comes from the parser in steps (``in_steps.py``). It is what damage is aimed with ("flip bit
3 of ``blocks[0].records[1].header.checksum``") and what ``walproof inspect`` shows.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

from conformance.kaitai.compile import compiled
from conformance.kaitai.grammar_docs import FieldDoc, GrammarDocs, grammar_docs
from conformance.kaitai.grammars import grammar_of
from conformance.kaitai.walk import ParseStopped as ParseStopped
from conformance.kaitai.walk import walk

_UNDOCUMENTED = FieldDoc("", (), "")


@dataclass(frozen=True)
class Field:
    """One field, ``data[start:end]``.

    ``value`` is the bytes, number, text or enum member that the parser read, and None for a field
    that has fields of its own. ``kind`` is the type in the grammar: ``u4``, ``bytes``,
    ``record_header`` … ``requirements`` and ``doc`` are what the grammar says of the field.
    """

    path: str
    start: int
    end: int
    value: object
    kind: str
    requirements: tuple[str, ...]
    doc: str


class UnknownField(KeyError):
    """No field has this path; the message names similar ones."""

    def __str__(self) -> str:
        return str(self.args[0])


def field_map(data: bytes, format: str, name: str = "") -> list[Field]:
    """All fields of a log of this format (``leveldb-log``): by offset, outer before inner ones.

    ``name`` is that of the file; :func:`conformance.kaitai.grammars.grammar_of` chooses by it.
    Raises :class:`ParseStopped` where the grammar does not fit, and what
    :func:`conformance.kaitai.compile.compiled` raises.
    """
    return list(iter_fields(data, format, name))


def iter_fields(data: bytes | mmap.mmap, format: str, name: str = "") -> Iterator[Field]:
    """The fields one by one, as :func:`field_map` lists them.

    Where the grammar allows it (``-stride``), each part of the log is read when its turn comes, so
    memory does not grow with a log that is mapped instead of read. Otherwise it takes the bytes,
    and eight for each object inside one that is not complete.
    """
    grammar = grammar_of(format, data[:4], name)
    docs = grammar_docs(grammar)
    parser = getattr(compiled(grammar, in_steps=True), docs.top)
    if docs.stride is None:
        yield from _parse(parser, data[:], 0, docs)
        return
    for number, start in enumerate(range(0, len(data), docs.stride)):
        for field in _parse(parser, data[start : start + docs.stride], start, docs):
            # To the parser each stride is a log of one element: give that its number back.
            yield replace(field, path=field.path.replace("[0]", f"[{number}]", 1))


def fields_by(grammar: Path, data: bytes) -> Iterator[Field]:
    """The fields of a file by any grammar, a .ksy file, one by one. Raises as :func:`field_map`.

    It runs the parser: in a box, if the grammar is foreign.
    """
    docs = grammar_docs(grammar.stem, grammar.parent)
    parser = getattr(compiled(grammar.stem, grammars=grammar.parent, in_steps=True), docs.top)
    yield from _parse(parser, data, 0, docs)


def from_the_start(path: str, fields: Callable[[], Iterable[Field]]) -> str:
    """A path with its indexes counted from the start; ``fields()`` gives those of the log, anew.

    It stays as it is from the first index on that leads to no element.
    """
    at = 0
    while negative := re.compile(r"\[(-\d+)\]").search(path, at):
        outer = path[: negative.start()]
        element = re.compile(re.escape(outer) + r"\[\d+\]")
        number = sum(1 for field in fields() if element.fullmatch(field.path)) + int(negative[1])
        if number < 0:
            break
        path = f"{outer}[{number}]{path[negative.end() :]}"
        at = negative.start()
    return path


def resolve(fields: Callable[[], Iterable[Field]], path: str) -> Field:
    """The field under a path such as ``blocks[0].records[1].header.checksum``.

    ``fields()`` gives those of the log, anew each time, none of which is kept. A negative index
    counts from the end, as in ``blocks[-1].records[-1].data``. Raises :class:`UnknownField`, which
    is a ``KeyError``.
    """
    path = from_the_start(path, fields)
    found = next((field for field in fields() if field.path == path), None)
    if found is None:
        raise UnknownField(_unknown(fields, path))
    return found


def _parse(
    parser: type[KaitaiStruct], data: bytes, base: int, docs: GrammarDocs
) -> Iterator[Field]:
    for found in walk(lambda: parser(KaitaiStream(BytesIO(data))), base):
        type_name = type(found.parent).__qualname__
        doc = docs.fields.get((type_name, found.name), _UNDOCUMENTED)
        value, kind = found.value, doc.kind or type(found.value).__name__
        if isinstance(value, KaitaiStruct):
            kind = docs.kinds.get(type(value).__qualname__, doc.kind)
            value = None
        yield Field(found.path, found.start, found.end, value, kind, doc.requirements, doc.doc)


def _unknown(fields: Callable[[], Iterable[Field]], path: str) -> str:
    """The message for a path that no field has: what there is below the part that one has."""
    steps = path.split(".")
    outers = {".".join(steps[:number]) for number in range(1, len(steps))}
    found = max((field.path for field in fields() if field.path in outers), key=len, default="")
    outer = f"{found}." if found else ""
    step = path.removeprefix(outer).partition(".")[0]
    names: dict[str, int] = {}  # of arrays, how many elements there are, else 0
    for field in fields():
        name = field.path.removeprefix(outer)
        if field.path.startswith(outer) and "." not in name:
            array, is_element, _ = name.partition("[")
            names[array] = names.get(array, 0) + bool(is_element)
    arrays = {name: count for name, count in names.items() if count}
    number = re.search(r"\[(\d+)\]$", step)
    alike = [name for name, count in names.items() if not count]
    for name, count in arrays.items():
        alike.append(f"{name}[{min(int(number[1]) if number else 0, count - 1)}]")
    near = get_close_matches(step, alike, n=1)
    hint = f"; did you mean {outer}{near[0]}?" if near else ""
    shown = [f"{a}[0]" if n == 1 else f"{a}[0] … {a}[{n - 1}]" for a, n in arrays.items()]
    shown += [name for name, count in names.items() if not count]
    has = f"{found or 'the log'} has {', '.join(shown) or 'no fields'}"
    return f"no field {path}: {has}{hint}"
