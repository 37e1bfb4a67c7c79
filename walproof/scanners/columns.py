"""Represent record fields as columns, as the register of the format defines them.

A change to the record fields in a register changes the schema of the data source.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reference_impl.answer import Record
from reference_impl.register import RecordField, Register

if TYPE_CHECKING:
    import pyarrow as pa

WIDEST = (1 << 64) - 1
#: Every format has these record fields, and their columns are fixed.
COMMON_FIELDS = frozenset({"file", "at", "size", "payload"})
#: A field that a record lacks has this value. A stored null is None.
ABSENT: Any = object()


@dataclass(frozen=True)
class Column:
    """A record field, as a column and as part of an answer."""

    field: RecordField
    type_name: str = "string"

    @property
    def name(self) -> str:
        """Return the name of the field, which is also that of the column."""
        return self.field.name

    @cached_property
    def type(self) -> pa.DataType:
        """Return the type of the column."""
        # Import pyarrow only here, because it is an optional dependency and columns can be listed
        # without it.
        import pyarrow as pa

        return pa.type_for_alias(self.type_name)

    def of(self, record: Record) -> Any:
        """Return the record's value for the column, or None."""
        return record.fields.get(self.name)

    def answers(self, values: pa.Array) -> Iterator[Any]:
        """Yield the values of the column as in an answer. Null becomes ``ABSENT``."""
        for value in values.to_pylist():
            yield ABSENT if value is None else self.to_answer(value)

    def to_answer(self, value: Any) -> Any:
        """Convert a column value that is not null to the value in an answer."""
        return value

    def cut(self, value: Any, most: int) -> tuple[Any, bool]:
        """Return the value cut to a maximum size, and whether it was cut."""
        return value, False


class NumberColumn(Column):
    """A 64-bit number, which is stored as decimal text in an answer."""

    def of(self, record: Record) -> Any:
        """Return the number, or None. Larger numbers lose all bits above the lowest 64."""
        value = record.fields.get(self.name)
        if value is None:
            return None
        # If a file begins with index 2^64 - 1, the indexes of its later entries exceed 64 bits.
        return int(value) & WIDEST if self.type_name == "uint64" else int(value)

    def to_answer(self, value: Any) -> Any:
        """Return the number as text."""
        return str(value)


class JsonColumn(Column):
    """A structured field, which is stored as JSON text in a column."""

    def of(self, record: Record) -> Any:
        """Return the JSON text, or None if the field is missing.

        A stored null is the text ``null``.
        """
        if self.name not in record.fields:
            return None
        return json.dumps(record.fields[self.name], ensure_ascii=False, separators=(",", ":"))

    def to_answer(self, value: Any) -> Any:
        """Return the parsed value."""
        return json.loads(value)


#: For each type of record field, its column class and its default column type.
_BY_TYPE: Mapping[str, tuple[type[Column], str]] = {
    "integer": (Column, "int64"),
    "decimal": (NumberColumn, "uint64"),
    "boolean": (Column, "bool"),
    "text": (Column, "string"),
    "hex": (Column, "string"),
    "object": (JsonColumn, "string"),
    "list": (JsonColumn, "string"),
}


def columns_of(register: Register, classes: Mapping[str, type[Column]]) -> tuple[Column, ...]:
    """Return a format's columns in the order of its register.

    ``classes`` contains column classes for fields whose values a register cannot describe.
    """
    columns = []
    for field in register.fields.values():
        if field.name not in COMMON_FIELDS and field.column != "none":
            default, type_name = _BY_TYPE[field.types[0]]
            column = classes.get(field.name, default)
            columns.append(column(field, field.column or type_name))
    return tuple(columns)
