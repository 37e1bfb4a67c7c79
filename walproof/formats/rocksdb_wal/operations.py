"""Convert write batches to rows, with user-defined timestamps separate from the keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from walproof.decode.operations import Operations as AnyOperations
from walproof.decode.operations import Row
from walproof.formats.leveldb_log.operations import batch_rows

_WITHOUT_TIMESTAMP = frozenset(("log_data", "commit"))


class Operations(AnyOperations):
    """The rows of a log, one for each operation; keys have no timestamps (RDB-033)."""

    COLUMNS = (
        "op", "sequence", "column_family", "key", "value", "end_key", "columns", "timestamp",
        "write_time", "xid", "suffixes", "table", "deleted_size",
    )  # fmt: skip

    def __init__(self, log: Path) -> None:
        self._sizes: dict[int, int] = {}

    def rows(self, value: Mapping[str, Any], fields: Mapping[str, Any]) -> Iterator[Row]:
        """See :class:`walproof.decode.operations.Operations`."""
        for family, size in (fields.get("timestamp_sizes") or {}).items():
            self._sizes[int(family)] = size
        for row in batch_rows(value):
            size = self._sizes.get(row.get("column_family") or 0, 0)
            key = row.get("key")
            if size and key is not None and row["op"] not in _WITHOUT_TIMESTAMP:
                row |= {"key": key[:-size], "timestamp": key[-size:]}
                if row.get("end_key"):
                    row["end_key"] = row["end_key"][:-size]
            yield row
