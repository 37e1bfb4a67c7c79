"""Field maps: the fields of a log and their bytes, according to its Kaitai grammar."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import zip_longest
from typing import Any, BinaryIO

from kaitaistruct import KaitaiStream, KaitaiStruct

from conformance.kaitai.checksums import Checksum, checksum_of, labels_of
from conformance.kaitai.compile import compiled
from conformance.kaitai.grammar_docs import FieldDoc, GrammarDocs, grammar_docs
from conformance.kaitai.grammars import grammar_of

#: By default, parsing stops after this number of fields. Fields in substreams do not count.
MAX_FIELDS = 1 << 20
#: The maximum memory of a parser for each field that counts. A log of empty records reaches it.
FIELD_BYTES = 720
_UNDOCUMENTED = FieldDoc("", (), "")


@dataclass(frozen=True)
class Field:
    """A field, ``data[start:end]``."""

    path: str
    start: int
    end: int
    #: Value that the parser read, or None if the field has subfields.
    value: object
    #: The type in the grammar, such as ``u4``, ``bytes`` or ``record_header``.
    kind: str
    requirements: tuple[str, ...]
    doc: str
    #: The checksum over parts of this field, if the grammar declares one (``-checksum``).
    checksum: Checksum | None = None
    #: Enum members and conditions that summarise this field (``-labels``).
    labels: tuple[str, ...] = ()


class ParseStopped(Exception):
    """The grammar does not fit the bytes, or a log has too many fields.

    Raised after the last field that could be read.
    """


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


def iter_fields(
    log: bytes | BinaryIO,
    format: str,
    name: str = "",
    start: int = 0,
    end: int | None = None,
    max_fields: int | None = None,
) -> Iterator[Field]:
    """Yield the fields with bytes in ``[start, end)``, in the order of :func:`field_map`.

    If the grammar declares a ``-stride``, only the elements of the window are read and parsed.
    Otherwise, all bytes up to the end of the window are read and parsed. Raises
    :class:`ParseStopped`, also after ``max_fields`` (default: :data:`MAX_FIELDS`).
    """
    file = io.BytesIO(log) if isinstance(log, bytes) else log
    head, size = _read(file, 0, 4), file.seek(0, io.SEEK_END)
    end = size if end is None else min(end, size)
    docs = grammar_docs(grammar := grammar_of(format, head, name))
    parser = getattr(compiled(grammar, debug=True), docs.top)
    most = MAX_FIELDS if max_fields is None else max_fields
    for field in _all_fields(file, parser, docs, start, end, size, most):
        if field.start > end or (field.start == end and field.end > end):
            return
        if field.end > start or start == 0:
            yield field


def _all_fields(
    file: BinaryIO,
    parser: type[KaitaiStruct],
    docs: GrammarDocs,
    start: int,
    end: int,
    size: int,
    most: int,
) -> Iterator[Field]:
    if docs.stride is None:
        file.seek(0)
        yield from _parse(parser, file, docs, end, most)
        return
    for base in range(start // docs.stride * docs.stride, end, docs.stride):
        element = io.BytesIO(_read(file, base, docs.stride))
        # The parser treats each element as a separate log.
        yield from _parse(parser, element, docs, size, most, base, base // docs.stride)


def _read(file: BinaryIO, start: int, size: int) -> bytes:
    file.seek(start)
    return file.read(size)


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


class _EndOfWindow(Exception):
    pass


class _CountedStream(KaitaiStream):  # type: ignore[misc]
    """A stream that stops the parser after a number of fields, to limit the memory."""

    def __init__(self, file: BinaryIO, most: int) -> None:
        super().__init__(file)
        self.most, self.count = most, 0

    def pos(self) -> int:
        # Parsers with ``debug`` call this method at the start and the end of each field.
        self.count += 1
        if self.count > 2 * self.most:
            raise ValueError(f"more than {self.most} fields")
        return int(super().pos())


class _Spans(dict[str, Any]):
    """The spans of a top-level field. An array stops at the first element at or after ``end``."""

    def __init__(self, end: int) -> None:
        self.end = end

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, _Elements(self.end) if key == "arr" else value)


class _Elements(list[dict[str, int]]):
    def __init__(self, end: int) -> None:
        self.end = end

    def append(self, span: dict[str, int]) -> None:
        if span["start"] >= self.end:
            raise _EndOfWindow
        super().append(span)


def _parse(
    parser: type[KaitaiStruct],
    file: BinaryIO,
    docs: GrammarDocs,
    end: int,
    most: int,
    base: int = 0,
    first: int = 0,
) -> Iterator[Field]:
    """Yield the fields up to ``end``; ``first`` is the number of the first top-level element."""
    top = parser(_CountedStream(file, most))
    top._debug = defaultdict(lambda: _Spans(end))
    stopped: Exception | None = None
    try:
        top._read()
    except _EndOfWindow:
        pass
    # Kaitai raises its own errors and UnicodeDecodeError. The fields before the error remain valid.
    except Exception as error:
        stopped = error
    yield from _fields_of(top, "", base, docs, first)
    if stopped is not None:
        raise ParseStopped(f"{type(stopped).__name__}: {stopped}") from stopped


def _fields_of(
    parent: Any, path: str, base: int, docs: GrammarDocs, first: int = 0
) -> Iterator[Field]:
    outer = type(parent).__qualname__
    for name in parent.SEQ_FIELDS:
        span = parent._debug.get(name)
        if not span:
            continue
        value = getattr(parent, name, None)
        doc = docs.fields.get((outer, name), _UNDOCUMENTED)
        inner = f"{path}.{name}" if path else name
        if "arr" not in span:
            yield from _field(parent, inner, span, value, base, doc, docs)
            continue
        for number, (each, element) in enumerate(zip_longest(span["arr"], value or ()), first):
            yield from _field(parent, f"{inner}[{number}]", each, element, base, doc, docs)


def _field(
    parent: Any,
    path: str,
    span: dict[str, int],
    value: Any,
    base: int,
    doc: FieldDoc,
    docs: GrammarDocs,
) -> Iterator[Field]:
    start = base + span["start"]
    # A field at which parsing stopped may extend to the end of its stream.
    end = base + (span["end"] if "end" in span else parent._io.size())
    if not isinstance(value, KaitaiStruct):
        kind = doc.kind or type(value).__name__
        yield Field(path, start, end, value, kind, doc.requirements, doc.doc)
        return
    base = base if value._io is parent._io else start
    type_name = type(value).__qualname__
    kind = docs.kinds.get(type_name, doc.kind)
    unit = docs.checksums.get(type_name)
    checksum = checksum_of(unit, value, path, base, start, end) if unit else None
    labels = labels_of(docs.labels.get(type_name, ()), unit, value)
    yield Field(path, start, end, None, kind, doc.requirements, doc.doc, checksum, labels)
    yield from _fields_of(value, path, base, docs)


def _unknown(fields: Callable[[], Iterable[Field]], path: str) -> str:
    steps = path.split(".")
    outers = {".".join(steps[:number]) for number in range(1, len(steps))}
    nearest = max((field.path for field in fields() if field.path in outers), key=len, default="")
    outer = f"{nearest}." if nearest else ""
    step = path.removeprefix(outer).partition(".")[0]
    names: dict[str, int] = {}  # the number of elements of an array, or 0 for other fields
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
