"""The format-specific fields of a record as columns, with their names in answers.

A change to the ``COLUMNS`` of a format changes the schema of the data source.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reference_impl.answer import Record
from walproof.schema import Schema, arrow_type

if TYPE_CHECKING:
    import pyarrow as pa

WIDEST = (1 << 64) - 1


@dataclass(frozen=True)
class Column:
    """A field of a record, as a column and as part of an answer.

    ``is_content`` is true for content, like the payload, and false for the position of a record. If
    ``is_settled`` is true, later records cannot change the field.
    """

    name: str
    schema: Schema
    doc: str
    is_content: bool = False
    is_settled: bool = True

    @cached_property
    def type(self) -> pa.DataType:
        """Return the type of the column."""
        return arrow_type(self.schema)

    def of(self, record: Record) -> Any:
        """Return the value for the column; None if the record has none."""
        return record.fields.get(self.name)

    def to_answer(self, value: Any) -> Any:
        """Return the field of an answer for a value of the column that is not null."""
        return value

    def cut(self, value: Any, most: int) -> tuple[Any, bool]:
        """Return the value cut to a maximum size, and whether it was cut."""
        return value, False


class NumberColumn(Column):
    """A 64-bit number, which is decimal text in an answer."""

    def of(self, record: Record) -> Any:
        """See :class:`Column`. Numbers above 64 bits wrap around to 0."""
        value = record.fields.get(self.name)
        if value is None:
            return None
        # The first index of a file may be 2^64 - 1, although the file holds more than one entry.
        return int(value) & WIDEST if self.schema == "uint64" else int(value)

    def to_answer(self, value: Any) -> Any:
        """See :class:`Column`."""
        return str(value)


class JsonColumn(Column):
    """A structured field, which is JSON text in a column."""

    def of(self, record: Record) -> Any:
        """See :class:`Column`. A stored null is the text ``null``."""
        if self.name not in record.fields:
            return None
        return json.dumps(record.fields[self.name], ensure_ascii=False, separators=(",", ":"))

    def to_answer(self, value: Any) -> Any:
        """See :class:`Column`."""
        return json.loads(value)
