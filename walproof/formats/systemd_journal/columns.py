"""Columns for the fields of a journal entry."""

from __future__ import annotations

import hashlib
import io
from typing import Any

from reference_impl.answer import Record
from reference_impl.systemd_journal.export_format import field_to_json, parse_export
from walproof.scan.columns import Column, NumberColumn


class EntryFieldsColumn(Column):
    """The complete fields of a journal entry. An answer contains only digests of long values."""

    def of(self, record: Record) -> Any:
        """See :class:`Column`."""
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
        """See :class:`Column`."""
        return [field_to_json(each["name"].encode() + b"=" + each["value"]) for each in value]

    def cut(self, value: Any, most: int) -> tuple[Any, bool]:
        """See :class:`Column`. Values of more than ``most`` bytes are truncated."""
        short = [{"name": each["name"], "value": each["value"][:most]} for each in value]
        return short, short != value


def _by_digest(payload: bytes) -> dict[str, bytes]:
    (entry,) = parse_export(io.BytesIO(payload))
    values = (field.partition(b"=")[2] for field in entry.payloads)
    return {hashlib.sha256(value).hexdigest(): value for value in values}


#: The fields in the order of the entry. A name may occur more than once.
FIELDS = EntryFieldsColumn(
    "fields", [{"name": "string", "value": "binary"}], "names and values, in order", is_content=True
)
COLUMNS = (
    NumberColumn("seqnum", "uint64", "sequence number"),
    NumberColumn("realtime", "uint64", "wall clock, microseconds since 1970"),
    NumberColumn("monotonic", "uint64", "monotonic clock of the boot, microseconds"),
    Column("boot_id", "string", "128-bit id in hexadecimal"),
    Column("cursor", "string", "as journalctl prints it"),
    FIELDS,
    Column("missing", "int32", "number of fields that could not be read"),
)
