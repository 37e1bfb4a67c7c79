"""Convert write batches to rows, with the keys and values of Chromium's databases as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from reference_impl.answer import Record
from reference_impl.leveldb_log import read
from walproof.decode.fault import Undecodable
from walproof.decode.operations import Operations as AnyOperations
from walproof.decode.operations import Row
from walproof.formats.leveldb_log.decoder import version_edit, write_batch
from walproof.formats.leveldb_log.operations.indexed_db import COMPARATOR, IndexedDB
from walproof.formats.leveldb_log.operations.local_storage import LocalStorage


class Operations(AnyOperations):
    """The rows of a log: one for each operation of a write batch and each edit of a MANIFEST."""

    COLUMNS = (
        "op", "sequence", "column_family", "origin", "database", "database_id", "store", "store_id",
        "entry", "key", "value", "end_key", "columns", "write_time", "xid",
        "timestamp", "edit",
    )  # fmt: skip

    def __init__(self, log: Path) -> None:
        folder = log if log.is_dir() else log.absolute().parent
        self._keys = IndexedDB() if _is_indexed_db(folder) else LocalStorage()

    def rows(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[Row]:
        """See :class:`walproof.decode.operations.Operations`."""
        if value.get("version_edit") is not None:
            edit, fault = value["version_edit"], value.get("ops_fault")
            yield {"op": "version_edit", "edit": edit, "fault": fault}
            return
        for row in batch_rows(value):
            yield self._keys.explain(row)


def batch_rows(value: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the operations of a write batch, each with its sequence number."""
    sequence = value["sequence"]
    for op in value["ops"]:
        row: Row = {"op": op["op"], "sequence": str(sequence), **op}
        if op["op"] in write_batch.RANGES:
            row["end_key"] = row.pop("value", None)
        if "columns" in row and row["columns"] is not None:
            del row["value"]
        yield row
        sequence += op["op"] not in write_batch.WITHOUT_NUMBER
    if value.get("ops_fault") is not None:
        yield {"sequence": str(sequence), "fault": value["ops_fault"]}


def _is_indexed_db(folder: Path) -> bool:
    if folder.name.endswith(".indexeddb.leveldb"):
        return True
    for manifest in sorted(folder.glob("MANIFEST-*"), reverse=True):
        with suppress(OSError):  # an unreadable MANIFEST does not prevent reading the log
            records = (each for each in read(manifest, "recover", {}) if isinstance(each, Record))
            for record in records:
                with suppress(Undecodable):
                    edit = version_edit.decode(record.payload)
                    if "comparator" in edit:
                        return bool(edit["comparator"] == COMPARATOR)
    return False
