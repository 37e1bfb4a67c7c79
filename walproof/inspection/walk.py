"""Walk the fields of a part of a log; of a large log, only that part is read and parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, dropwhile, takewhile

from conformance.kaitai.field_map import Field, from_the_start, iter_fields, resolve
from conformance.kaitai.grammar_docs import grammar_docs
from conformance.kaitai.grammars import grammar_of
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.show import counted

#: Bytes that are parsed of the hole at the end of a sparse file.
HOLE_PIECE_BYTES = 1 << 16


def fields_between(log: LogBytes, format: str, start: int, end: int) -> Iterator[Field]:
    """Yield the fields with bytes in ``[start, end)``, sorted by offset, outer fields first.

    Raises ``conformance.kaitai.field_map.ParseStopped`` if the grammar does not match the log.
    """
    for number in _parts(log, format, start, end):
        for field in _part(log, format, number):
            if field.start > end or (field.start == end and field.end > end):
                return
            if field.end > start or start == 0:
                yield field


def subtree(log: LogBytes, format: str, path: str) -> Iterator[Field]:
    """Yield the field with a path such as ``blocks[0].records[1].header``, then its subfields.

    Negative indexes count from the end. Raises ``conformance.kaitai.field_map.UnknownField``.
    """
    array, count = _top(log, format)
    step = re.match(rf"{array}\[(-?\d+)\]", path)
    number = int(step[1]) if step else 0
    number += count if number < 0 else 0
    if step is not None and number >= 0:
        path = f"{array}[{number}]{path[step.end() :]}"

    def fields() -> Iterator[Field]:
        is_there = array is None or (step is not None and 0 <= number < count)
        return _part(log, format, number) if is_there else iter(())

    path = from_the_start(path, fields)
    fields_inside = _inside(path, fields())
    if (first := next(fields_inside, None)) is not None:
        return chain([first], fields_inside)

    def all_of_them() -> Iterator[Field]:
        tops = (Field(f"{array}[{i}]", 0, 0, None, "", (), "") for i in range(count))
        return chain(tops, (field for field in fields() if "." in field.path or array is None))

    return _inside(resolve(all_of_them, path).path, fields())


def _inside(path: str, fields: Iterator[Field]) -> Iterator[Field]:
    outside = dropwhile(lambda field: field.path != path, fields)
    return takewhile(lambda field: (field.path + ".").startswith(path + "."), outside)


def _stride(log: LogBytes, format: str) -> int | None:
    return grammar_docs(grammar_of(format, log[0:4])).stride


def _parts(log: LogBytes, format: str, start: int, end: int) -> range:
    """Return the numbers of the separately parsed parts with bytes in ``[start, end)``."""
    stride = _stride(log, format)
    if stride is None:
        return range(1)
    return range(start // stride, -(-min(end, log.size) // stride))


def _part(log: LogBytes, format: str, number: int) -> Iterator[Field]:
    stride = _stride(log, format)
    if stride is None:
        yield from _all_fields(log, format)
        return
    base = number * stride
    for field in iter_fields(log[base : base + stride], format):
        # The grammar parsed this part as a whole log: restore its number and offset.
        path = field.path.replace("[0]", f"[{number}]", 1)
        yield replace(field, path=path, start=base + field.start, end=base + field.end)


def _all_fields(log: LogBytes, format: str) -> Iterator[Field]:
    """Yield the fields of a log that is parsed as a whole."""
    end = min(log.data_end() + HOLE_PIECE_BYTES, log.size)
    for field in iter_fields(log[0:end], format):
        if field.end < end or end == log.size:
            yield field
            continue
        value = field.value
        if isinstance(value, bytes) and not any(value):
            count = log.size - field.start
            value = f"{counted(count, 'byte')}  00 × {count}"
        yield replace(field, end=log.size, value=value)


def _top(log: LogBytes, format: str) -> tuple[str | None, int]:
    """Return name and length of the array whose elements can be parsed separately, if any."""
    stride = _stride(log, format)
    first = next(_part(log, format, 0), None)
    if stride is None or first is None:
        return None, 0
    return first.path.partition("[")[0], -(-log.size // stride)
