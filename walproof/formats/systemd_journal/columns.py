"""The column that holds the fields of a journal entry."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from reference_impl.answer import INLINE_PAYLOAD_LIMIT, Record
from reference_impl.systemd_journal.export_format import parse_export, value_to_json
from walproof.scanners.columns import ABSENT, Column

if TYPE_CHECKING:
    import pyarrow as pa


class EntryFieldsColumn(Column):
    """The complete fields of a journal entry, in order. Several fields may have the same name.

    An answer, by contrast, contains only digests of long values.
    """

    @cached_property
    def type(self) -> pa.DataType:
        """Return the type: a list of names and values."""
        import pyarrow as pa

        return pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())]))

    def of(self, record: Record) -> Any:
        """Return the fields with their complete values, taken from the payload of the record."""
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

    def answers(self, values: pa.Array) -> Iterator[Any]:
        """Yield the fields in the form of an answer."""
        ends = values.offsets.to_pylist()
        pairs = values.values[ends[0] : ends[-1]]
        names, contents = (pairs.field(part).to_pylist() for part in ("name", "value"))
        try:  # Usually, all values are short texts.
            shown = [
                each.decode() if len(each) <= INLINE_PAYLOAD_LIMIT else value_to_json(each)
                for each in contents
            ]
        except UnicodeDecodeError:
            shown = [value_to_json(each) for each in contents]
        in_order = map(list, zip(names, shown, strict=True))
        are_present = values.is_valid().to_pylist()
        for (start, end), is_present in zip(pairwise(ends), are_present, strict=True):
            fields = list(islice(in_order, end - start))
            yield fields if is_present else ABSENT

    def cut(self, value: Any, most: int) -> tuple[Any, bool]:
        """Return the fields with values cut to ``most`` bytes, and whether any value was cut."""
        short = [{"name": each["name"], "value": each["value"][:most]} for each in value]
        return short, short != value


def _by_digest(payload: bytes) -> dict[str, bytes]:
    (entry,) = parse_export(io.BytesIO(payload))
    values = (field.partition(b"=")[2] for field in entry.payloads)
    return {hashlib.sha256(value).hexdigest(): value for value in values}


COLUMN_CLASSES = {"fields": EntryFieldsColumn}
