"""Adapter for the log reader in dfindexeddb, Google's forensic tool for LevelDB and IndexedDB.

``log.FileReader.GetWriteBatches`` finds the physical records, joins them and passes each complete
record to ``log.WriteBatch.FromBytes``. The adapter replaces ``FromBytes``, because it needs the
bytes of each record, and not every record is a WriteBatch.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from dfindexeddb import version
from dfindexeddb.leveldb import log

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from conformance.adapterkit import record, serve


class Undecoded:
    """A substitute for ``log.WriteBatch`` that keeps the bytes of a record."""

    @staticmethod
    def FromBytes(raw_data: bytes | bytearray, base_offset: int = 0) -> dict[str, Any]:
        """Return a record.

        ``base_offset`` is the offset of the first fragment's data, or 0 if there is no FIRST.
        """
        at = base_offset - log.PhysicalRecord.PHYSICAL_HEADER_LENGTH if base_offset else None
        return record(bytes(raw_data), at)


log.WriteBatch = Undecoded


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the records before the first exception, and the exception's text."""
    answer: dict[str, Any] = {"records": [], "signals": []}
    try:
        for released in log.FileReader(str(path)).GetWriteBatches():
            answer["records"].append(released)
    except Exception as error:
        answer["signals"].append(f"{type(error).__name__}: {error}")
    return answer


if __name__ == "__main__":
    serve(
        {
            "name": "dfindexeddb",
            "version": version.GetVersion(),
            "formats": ["leveldb-log"],
            "profiles": ["recover"],
            "reports": ["records", "at", "signals"],
            "homepage": "https://github.com/google/dfindexeddb",
            "issues": "https://github.com/google/dfindexeddb/issues",
        },
        read,
    )
