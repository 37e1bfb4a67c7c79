"""The bytes of a log, be it one file or a folder of files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

Contents = bytes | Mapping[str, bytes]
"""Bytes of a file, or bytes by relative name (with ``/``) of the files in a folder."""


def read_contents(path: Path) -> Contents:
    """Everything in a log. Raises ``OSError``."""
    if not path.is_dir():
        return path.read_bytes()
    return {
        file.relative_to(path).as_posix(): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }


def write_contents(contents: Contents, path: Path) -> None:
    """Put a log at a path where nothing is yet."""
    if isinstance(contents, bytes):
        path.write_bytes(contents)
        return
    path.mkdir()
    for name, data in contents.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def digest(contents: Contents) -> str:
    """SHA-256 of a file; for a folder, of its ``sha256sum`` listing in order of name."""
    if isinstance(contents, bytes):
        return hashlib.sha256(contents).hexdigest()
    listing = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(contents.items())
    )
    return hashlib.sha256(listing.encode()).hexdigest()


def size(contents: Contents) -> int:
    """Bytes in all files together."""
    if isinstance(contents, bytes):
        return len(contents)
    return sum(map(len, contents.values()))
