"""Field maps: the fields of a log and their bytes, according to its Kaitai grammar."""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches

from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

from conformance.kaitai.compile import compiled
from conformance.kaitai.grammar_docs import FieldDoc, GrammarDocs, grammar_docs
from conformance.kaitai.grammars import grammar_of
from conformance.kaitai.walk import ParseStopped as ParseStopped
from conformance.kaitai.walk import walk

_UNDOCUMENTED = FieldDoc("", (), "")


@dataclass(frozen=True)
class Field:
    """A field, ``data[start:end]``."""

    path: str
    start: int
    end: int
    #: Value that the parser read, or None for a field with subfields.
    value: object
    #: Type in the grammar: ``u4``, ``bytes``, ``record_header`` …
    kind: str
    requirements: tuple[str, ...]
    doc: str


class UnknownField(KeyError):
    """No field has this path. The message names similar paths."""

    def __str__(self) -> str:
        return str(self.args[0])


def field_map(data: bytes, format: str, name: str = "") -> list[Field]:
    """Return all fields of a log, sorted by offset. Each outer field precedes its subfields.

    ``format`` is an id such as ``leveldb-log``. ``name`` is the name of the file. Raises
    :class:`ParseStopped` and the errors of :func:`conformance.kaitai.compile.compiled`.
    """
    return list(iter_fields(data, format, name))


def iter_fields(data: bytes | mmap.mmap, format: str, name: str = "") -> Iterator[Field]:
    """Yield the fields in the order of :func:`field_map`.

    Memory use is independent of the log size if the grammar declares a ``-stride``. Otherwise, the
    whole log is kept in memory.
    """
    grammar = grammar_of(format, data[:4], name)
    docs = grammar_docs(grammar)
    parser = getattr(compiled(grammar, in_steps=True), docs.top)
    if docs.stride is None:
        yield from _parse(parser, data[:], 0, docs)
        return
    for number, start in enumerate(range(0, len(data), docs.stride)):
        for field in _parse(parser, data[start : start + docs.stride], start, docs):
            # To the parser each stride is a log with one element, so restore the element's number.
            yield replace(field, path=field.path.replace("[0]", f"[{number}]", 1))


def from_the_start(path: str, fields: Callable[[], Iterable[Field]]) -> str:
    """Replace negative indexes in a path by indexes from the start.

    ``fields()`` yields the fields of the log.
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
    """Return the field with a path such as ``blocks[0].records[-1].data``.

    ``fields()`` yields the fields of the log. Raises :class:`UnknownField`.
    """
    path = from_the_start(path, fields)
    match = next((field for field in fields() if field.path == path), None)
    if match is None:
        raise UnknownField(_unknown(fields, path))
    return match


def _parse(
    parser: type[KaitaiStruct], data: bytes, base: int, docs: GrammarDocs
) -> Iterator[Field]:
    for step in walk(lambda: parser(KaitaiStream(BytesIO(data))), base):
        type_name = type(step.parent).__qualname__
        doc = docs.fields.get((type_name, step.name), _UNDOCUMENTED)
        value, type_name = step.value, doc.kind or type(step.value).__name__
        if isinstance(value, KaitaiStruct):
            type_name = docs.kinds.get(type(value).__qualname__, doc.kind)
            value = None
        yield Field(step.path, step.start, step.end, value, type_name, doc.requirements, doc.doc)


def _unknown(fields: Callable[[], Iterable[Field]], path: str) -> str:
    steps = path.split(".")
    outers = {".".join(steps[:number]) for number in range(1, len(steps))}
    nearest = max((field.path for field in fields() if field.path in outers), key=len, default="")
    outer = f"{nearest}." if nearest else ""
    step = path.removeprefix(outer).partition(".")[0]
    names: dict[str, int] = {}  # the number of elements of arrays, otherwise 0
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
    has = f"{nearest or 'the log'} has {', '.join(shown) or 'no fields'}"
    return f"no field {path}: {has}{hint}"
