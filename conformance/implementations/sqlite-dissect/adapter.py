"""Adapter for the SQLite log reader in SQLite Dissect, a forensics program."""

from __future__ import annotations

import sys
import warnings
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlite_dissect.constants import WAL_FRAME_HEADER_LENGTH
from sqlite_dissect.file.wal.wal import WriteAheadLog

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from conformance.adapterkit import record, serve


def read(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    """Return the valid frames of each commit record, and the exception that stopped the reader.

    Warnings about frames of an older generation are ignored, because intact logs also contain such
    frames.
    """
    answer: dict[str, Any] = {"records": [], "signals": []}
    try:
        with warnings.catch_warnings(action="ignore"):
            log = WriteAheadLog(str(path))
        for _, group in groupby(log.frames.values(), lambda frame: frame.commit_record_number):
            frames = list(group)
            answer["records"].append(transaction(log, frames))
        log.file_handle.close()
    except Exception as error:
        answer["signals"].append(f"{type(error).__name__}: {error}")
    return answer


def transaction(log: WriteAheadLog, frames: list[Any]) -> dict[str, Any]:
    """Return a record with the page images and the fields of a commit record."""
    page_size = log.file_handle.header.page_size
    starts = (frame.offset + WAL_FRAME_HEADER_LENGTH for frame in frames)
    payload = b"".join(log.file_handle.read_data(start, page_size) for start in starts)
    fields = {
        "frame": frames[0].frame_number,
        "pages": [frame.header.page_number for frame in frames],
        "db_pages": frames[-1].header.page_size_after_commit,
    }
    return record(payload, frames[0].offset) | fields


if __name__ == "__main__":
    serve(
        {
            "name": "sqlite-dissect",
            "version": version("sqlite_dissect"),
            "formats": ["sqlite-wal"],
            "profiles": ["recover"],
            "reports": ["records", "at", "frame", "pages", "db_pages", "signals"],
            "homepage": "https://github.com/dod-cyber-crime-center/sqlite-dissect",
            "issues": "https://github.com/dod-cyber-crime-center/sqlite-dissect/issues",
        },
        read,
    )
