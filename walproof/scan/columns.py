"""What each format adds to a record, as columns under the names that the answer uses.

The columns of a format are the ``COLUMNS`` of the part ``columns`` of its package in
``walproof/formats``. A change there is a change of the data source's schema.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from reference_impl.answer import Record

WIDEST = (1 << 64) - 1
TO_ESCAPE = r"[^ !#-\[\]-~]"
"""What is not plain in JSON text; some of it may stay as it is, which is left to ``json_text``."""


@dataclass(frozen=True)
class Column:
    """One field of a record, the same in a column as in an answer.

    ``is_content``: it says what the record holds, as the payload does, not where it stands.
    ``is_settled``: records that are written later do not change it. ``is_own``: hardly any two
    records have the same.
    """

    name: str
    type: pa.DataType
    doc: str
    is_content: bool = False
    is_settled: bool = True
    is_own: bool = False

    @property
    def with_dictionaries(self) -> pa.DataType:
        """The type where text that many values share is a dictionary: for who writes it so."""
        return self.type

    def of(self, record: Record) -> Any:
        """The value for the column; None where the record has none."""
        return record.fields.get(self.name)

    def to_answer(self, value: Any) -> Any:
        """The field of an answer, from a value of the column that is not null."""
        return value

    def to_json(self, values: pa.Array) -> pa.Array | None:
        """What :meth:`to_answer` makes of each value, as JSON text; null where there is none.

        None if it has to be made value by value.
        """
        return None

    def cut(self, value: Any, most: int) -> tuple[Any, bool]:
        """The value without what is too long in it, and whether anything was."""
        return value, False


class NumberColumn(Column):
    """A 64-bit number: decimal text in an answer."""

    def of(self, record: Record) -> Any:
        """See :class:`Column`. What is counted on beyond 64 bits starts at 0 again."""
        value = record.fields.get(self.name)
        if value is None:
            return None
        # A file may claim a first index of 2^64 - 1, and hold more than one entry.
        return int(value) & WIDEST if pa.types.is_uint64(self.type) else int(value)

    def to_answer(self, value: Any) -> Any:
        """See :class:`Column`."""
        return str(value)


class JsonColumn(Column):
    """A field with parts of its own: JSON text in a column."""

    def of(self, record: Record) -> Any:
        """See :class:`Column`. A stored null is the text ``null``."""
        if self.name not in record.fields:
            return None
        return json.dumps(record.fields[self.name], ensure_ascii=False, separators=(",", ":"))

    def to_answer(self, value: Any) -> Any:
        """See :class:`Column`."""
        return json.loads(value)
