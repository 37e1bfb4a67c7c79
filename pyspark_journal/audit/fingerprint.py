"""What tells a log that has changed from one that has not, without reading it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pyspark_journal.audit.lake import Found

SAMPLE = 4096
"""Bytes at the start and at the end of each file that are looked at."""


def fingerprint(found: Found) -> str | None:
    """Of the paths, sizes, times of change, first and last bytes of all files of a log.

    None when a file cannot be read: then the log is read again the next time. What changes the
    middle of a file and leaves its time of change alone (a failing disk) is not seen.
    """
    if found.error is not None:
        return None
    digest = hashlib.sha256()
    digest.update(json.dumps([found.format, dict(found.context)], sort_keys=True).encode())
    try:
        for member in (*found.members, *found.beside):
            place = f"\0{member.path}\0{member.size}\0{member.mtime_ns}\0"
            digest.update(place.encode("utf-8", "surrogateescape"))
            with Path(member.path).open("rb", buffering=0) as file:
                digest.update(file.read(SAMPLE))
                if member.size > SAMPLE:
                    file.seek(max(SAMPLE, member.size - SAMPLE))
                    digest.update(file.read(SAMPLE))
    except OSError:
        return None
    return digest.hexdigest()[:32]
