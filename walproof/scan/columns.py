"""What each format adds to a record, as columns under the names that the answer uses."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from reference_impl.answer import Record
from reference_impl.systemd_journal.export_format import field_to_json, parse_export

WIDEST = (1 << 64) - 1


@dataclass(frozen=True)
class Column:
    """One field of a record, the same in a column as in an answer."""

    name: str
    type: pa.DataType
    doc: str

    def of(self, record: Record) -> Any:
        """The value for the column; None where the record has none."""
        return record.fields.get(self.name)

    def to_answer(self, value: Any) -> Any:
        """The field of an answer, from a value of the column that is not null."""
        return value

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


class EntryFieldsColumn(Column):
    """The fields of a journal entry, whole: an answer has digests of the long ones."""

    def of(self, record: Record) -> Any:
        """See :class:`Column`."""
        found = []
        long: dict[str, bytes] | None = None
        for name, value in record.fields[self.name]:
            if isinstance(value, str):
                found.append({"name": name, "value": value.encode()})
            elif "hex" in value:
                found.append({"name": name, "value": bytes.fromhex(value["hex"])})
            else:
                long = _by_digest(record.payload) if long is None else long
                found.append({"name": name, "value": long[value["sha256"]]})
        return found

    def to_answer(self, value: Any) -> Any:
        """See :class:`Column`."""
        return [field_to_json(one["name"].encode() + b"=" + one["value"]) for one in value]

    def cut(self, value: Any, most: int) -> tuple[Any, bool]:
        """See :class:`Column`: values of more than ``most`` bytes are cut."""
        short = [{"name": one["name"], "value": one["value"][:most]} for one in value]
        return short, short != value


def _by_digest(payload: bytes) -> dict[str, bytes]:
    (entry,) = parse_export(io.BytesIO(payload))
    values = (field.partition(b"=")[2] for field in entry.payloads)
    return {hashlib.sha256(value).hexdigest(): value for value in values}


ENTRY_FIELDS = pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))
"""In the order of the entry; a name may occur more than once."""

COLUMNS: Mapping[str, tuple[Column, ...]] = {
    "leveldb-log": (),
    "zeebe-journal": (
        NumberColumn("index", pa.int64(), "index of the record in the journal"),
        NumberColumn("asqn", pa.int64(), "application sequence number, -1 for none"),
        NumberColumn("checksum", pa.uint32(), "stored checksum"),
        NumberColumn("term", pa.uint64(), "raft term; null where the payload is no raft entry"),
        Column("entry_type", pa.string(), "application, configuration or initial"),
        Column("entry_fault", pa.string(), "why the payload is no raft entry"),
    ),
    "kahadb-journal": (
        Column("type", pa.int32(), "record type of the journal"),
        Column("batch", pa.int64(), "offset of the batch that the record belongs to"),
        Column("command", pa.int32(), "number of the store's command"),
        Column("command_name", pa.string(), "name of the store's command"),
    ),
    "systemd-journal": (
        NumberColumn("seqnum", pa.uint64(), "sequence number"),
        NumberColumn("realtime", pa.uint64(), "wall clock, microseconds since 1970"),
        NumberColumn("monotonic", pa.uint64(), "monotonic clock of the boot, microseconds"),
        Column("boot_id", pa.string(), "128-bit id in hexadecimal"),
        Column("cursor", pa.string(), "as journalctl prints it"),
        EntryFieldsColumn("fields", ENTRY_FIELDS, "names and values in order"),
        Column("missing", pa.int32(), "how many of the entry's fields could not be read"),
    ),
    "zmq-raft": (
        NumberColumn("index", pa.uint64(), "log index"),
        NumberColumn("term", pa.uint64(), "raft term"),
        Column("entry_type", pa.int32(), "0 state, 1 config, 2 checkpoint"),
        Column("request_id", pa.string(), "12 bytes in hexadecimal"),
        JsonColumn("update", pa.string(), "an update of a state file, as JSON"),
        JsonColumn("state", pa.string(), "the state after the update, as JSON"),
    ),
}
"""By format id. A change here is a change of the data source's schema."""
