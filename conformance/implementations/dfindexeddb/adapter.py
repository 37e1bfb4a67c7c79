"""Adapter: the log reader of dfindexeddb, Google's forensic reader of LevelDB and IndexedDB files.

``log.FileReader.GetWriteBatches`` finds the physical records, joins them and hands each whole
record to ``log.WriteBatch.FromBytes``, which decodes it. Only that last step is replaced: a record
of the log need not be a WriteBatch, and its bytes are what we are after.
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
    """Stands in for ``log.WriteBatch``: keeps a record as it was handed over."""

    @staticmethod
    def FromBytes(raw_data: bytes | bytearray, base_offset: int = 0) -> dict[str, Any]:
        """``base_offset`` is that of the first fragment's contents; 0 if there was no FIRST yet."""
        at = base_offset - log.PhysicalRecord.PHYSICAL_HEADER_LENGTH if base_offset else None
        return record(bytes(raw_data), at)


log.WriteBatch = Undecoded


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """The records released up to the first exception, and what that said."""
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
