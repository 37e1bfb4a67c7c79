"""Convert the Zeebe records in journal entries, and entries without records, to rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from walproof.decode.operations import Operations as AnyOperations
from walproof.decode.operations import Row
from walproof.formats.zeebe_journal.decoder.metadata import FIELDS as METADATA

#: Members that are 64-bit numbers. In rows, these numbers are text, as in answers.
_LONG = ("position", "source_position", "key", "request_id", "operation_reference",
         "batch_operation_reference", "lowest_asqn", "highest_asqn")  # fmt: skip
_NONE = -1
_ENTRY = ("type", "lowest_asqn", "highest_asqn", "new_members", "old_members", "data")


class Operations(AnyOperations):
    """Rows of Zeebe records, one per record. See :class:`walproof.decode.operations.Operations`."""

    FIELDS = ("index",)
    COLUMNS = (
        "term", "position", "source_position", "record_type", "value_type", "intent", "key",
        "timestamp", "value", *METADATA, "is_processed", *_ENTRY,
    )  # fmt: skip

    def rows(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[Row]:
        """See :class:`walproof.decode.operations.Operations`."""
        term = str(value["term"])
        records = value.get("records") or ()
        for record in records:
            row = {"term": term, **_with_text_numbers(record)}
            row = {name: member for name, member in row.items() if member != _NONE}
            for name in ("value", "authorization", "agent"):
                if record.get(name) is not None:
                    row[name] = json.loads(record[name])
            yield row
        fault = value.get("records_fault")
        if records and fault is None:
            return
        entry = {name: value[name] for name in _ENTRY if name in value}
        data = value.get("application_data")
        yield {"term": term, **_with_text_numbers(entry), "data": data, "fault": fault}


def _with_text_numbers(row: Mapping[str, Any]) -> Row:
    return {
        name: str(value) if name in _LONG and value not in (None, _NONE) else value
        for name, value in row.items()
    }
