"""Adapter for the SQLite log reader in dissect.database, a forensics library."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dissect.database.sqlite3.wal import WAL

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from conformance.adapterkit import record, serve


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the commits, each with its valid frames, as ``SQLite3.raw_page`` uses them."""
    answer: dict[str, Any] = {"records": [], "signals": []}
    try:
        wal = WAL(path)
        for commit in wal.commits:
            if frames := [frame for frame in commit.frames if frame.valid]:
                payload = b"".join(frame.data for frame in frames)
                pages = [frame.page_number for frame in frames]
                fields = {"pages": pages, "db_pages": commit.frames[-1].page_count}
                answer["records"].append(record(payload, frames[0].offset) | fields)
        wal.close()
    except Exception as error:
        answer["signals"].append(f"{type(error).__name__}: {error}")
    return answer


if __name__ == "__main__":
    serve(
        {
            "name": "dissect-database",
            "version": version("dissect.database"),
            "formats": ["sqlite-wal"],
            "profiles": ["recover"],
            "reports": ["records", "at", "pages", "db_pages", "signals"],
            "homepage": "https://github.com/fox-it/dissect.database",
            "issues": "https://github.com/fox-it/dissect.database/issues",
        },
        read,
    )
