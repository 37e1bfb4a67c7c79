"""The column that holds the fields of a journal entry."""

from __future__ import annotations

import hashlib
import io
from functools import cached_property
from typing import TYPE_CHECKING, Any

from reference_impl.answer import Record
from reference_impl.systemd_journal.export_format import field_to_json, parse_export
from walproof.scanners.columns import Column

if TYPE_CHECKING:
    import pyarrow as pa


class EntryFieldsColumn(Column):
    """The complete fields of a journal entry, in order. A name may occur more than once.

    An answer contains only digests of long values.
    """

    @cached_property
    def type(self) -> pa.DataType:
        """Return the type: a list of names and values."""
        import pyarrow as pa

        return pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))

    def of(self, record: Record) -> Any:
        """Return the fields with their complete values, from the payload of the record."""
        rows = []
        long: dict[str, bytes] | None = None
        for name, value in record.fields[self.name]:
            if isinstance(value, str):
                rows.append({"name": name, "value": value.encode()})
            elif "hex" in value:
                rows.append({"name": name, "value": bytes.fromhex(value["hex"])})
            else:
                long = _by_digest(record.payload) if long is None else long
                rows.append({"name": name, "value": long[value["sha256"]]})
        return rows

    def to_answer(self, value: Any) -> Any:
        """Return the fields as in an answer."""
        return [field_to_json(each["name"].encode() + b"=" + each["value"]) for each in value]

    def cut(self, value: Any, most: int) -> tuple[Any, bool]:
        """Return the fields with values of at most ``most`` bytes, and whether one was cut."""
        short = [{"name": each["name"], "value": each["value"][:most]} for each in value]
        return short, short != value


def _by_digest(payload: bytes) -> dict[str, bytes]:
    (entry,) = parse_export(io.BytesIO(payload))
    values = (field.partition(b"=")[2] for field in entry.payloads)
    return {hashlib.sha256(value).hexdigest(): value for value in values}


COLUMN_CLASSES = {"fields": EntryFieldsColumn}
