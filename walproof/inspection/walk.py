"""Walk the fields of a part of a log.

If the elements of a log can be parsed separately, only this part is read and parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.kaitai.field_map import Field, iter_fields
from conformance.kaitai.grammar_docs import grammar_docs
from conformance.kaitai.grammars import grammar_of
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.show import counted

#: Number of bytes that are parsed in the hole at the end of a sparse file.
HOLE_PIECE_BYTES = 1 << 16


def fields_between(log: LogBytes, format: str, start: int, end: int) -> Iterator[Field]:
    """Yield the fields with bytes in ``[start, end)``, sorted by offset, outer fields first.

    Raises ``conformance.kaitai.field_map.ParseStopped`` if the grammar does not match the log.
    """
    for field in _fields_from(log, format, start, end):
        if field.start > end or (field.start == end and field.end > end):
            return
        if field.end > start or start == 0:
            yield field


def _fields_from(log: LogBytes, format: str, start: int, end: int) -> Iterator[Field]:
    stride = grammar_docs(grammar_of(format, log[0:4])).stride
    if stride is None:
        yield from _all_fields(log, format)
        return
    for base in range(start // stride * stride, min(end, log.size), stride):
        for field in iter_fields(log[base : base + stride], format):
            # The grammar parsed this element as a complete log. Restore its number and offset.
            path = field.path.replace("[0]", f"[{base // stride}]", 1)
            yield replace(field, path=path, start=base + field.start, end=base + field.end)


def _all_fields(log: LogBytes, format: str) -> Iterator[Field]:
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
