"""What tells a log that has changed from one that has not, without reading it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from walproof.audit.lake import Found, Member
from walproof.lake.trees import is_local

SAMPLE = 4096
"""Bytes at the start and at the end of each file that are looked at."""


def fingerprint(found: Found) -> str | None:
    """A digest of the paths, sizes, times of change, first and last bytes of all files of a log.

    None when a file cannot be read: then the log is read again the next time. Objects in a store
    are told by size and time alone, since looking at one costs as much as reading it. What changes
    the middle of a file and leaves its time of change alone (a failing disk) is not seen.
    """
    if found.error is not None:
        return None
    source = found.source
    digest = hashlib.sha256(f"{source.format} {sorted(source.context.items())}".encode())
    try:
        for member in found.members:
            place = f"\0{member.path}\0{member.size}\0{member.modified!r}\0"
            digest.update(place.encode("utf-8", "surrogateescape"))
            if is_local(member.path):
                digest.update(_sample(member))
    except OSError:
        return None
    return digest.hexdigest()[:32]


def _sample(member: Member) -> bytes:
    with Path(member.path).open("rb", buffering=0) as file:
        sample = file.read(SAMPLE)
        if member.size > SAMPLE:
            file.seek(max(SAMPLE, member.size - SAMPLE))
            sample += file.read(SAMPLE)
        return sample
