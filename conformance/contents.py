"""The bytes of a log, which is a single file or a directory of files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

# A log is either the bytes of a file or a mapping from file names to bytes. Names are relative to
# the directory of the log, and separated by ``/``.
Contents = bytes | Mapping[str, bytes]


MAX_BYTES = 512 << 20
MAX_FILES = 10_000
MAX_DEPTH = 32


class TooMuch(OSError):
    """The log exceeds a limit for logs under test."""


def read_contents(path: Path) -> Contents:
    """Read all files of a log.

    Raises ``OSError``, and :class:`TooMuch` beyond ``MAX_BYTES`` in all files, ``MAX_FILES`` files
    or ``MAX_DEPTH`` nested directories.
    """
    if not path.is_dir():
        return read_file(path)
    contents, left = {}, MAX_BYTES
    for steps, entry in sorted(_entries(path), key=lambda item: item[0]):
        if entry.is_file(follow_symlinks=False) or Path(entry.path).is_file():
            contents["/".join(steps)] = data = _read(entry.path, left)
            left -= len(data)
    return contents


def list_entries(folder: Path) -> list[Path]:
    """Return all entries below a directory except directories, sorted. Raises :class:`TooMuch`."""
    return sorted(Path(entry.path) for _, entry in _entries(folder))


# The components of a file's path, relative to the directory of a log.
Steps = tuple[str, ...]


def _entries(folder: Path) -> Iterator[tuple[Steps, os.DirEntry[str]]]:
    folders: list[tuple[Steps, str | Path]] = [((), folder)]
    seen = 0
    while folders:
        above, here = folders.pop()
        with os.scandir(here) as entries:
            for entry in entries:
                seen += 1
                steps = (*above, entry.name)
                if seen > MAX_FILES:
                    raise TooMuch(f"more than {MAX_FILES:,} files are below {folder.name}")
                if not entry.is_dir(follow_symlinks=False):
                    yield steps, entry
                elif len(steps) == MAX_DEPTH:
                    raise TooMuch(f"folders are nested more than {MAX_DEPTH} deep")
                else:
                    folders.append((steps, entry.path))


def read_file(path: Path) -> bytes:
    """Read a log that is a single file. Raises ``OSError``, and :class:`TooMuch`."""
    return _read(path, MAX_BYTES)


def _read(path: str | Path, limit: int) -> bytes:
    """Read a file, unless it is larger than the limit (a sparse file can be huge)."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(descriptor).st_size
        parts = []
        # The stated size may be 0, or the file may grow, so try to read one more byte.
        while size <= limit and (part := os.read(descriptor, size + 1)):
            parts.append(part)
            size = sum(map(len, parts))
    finally:
        os.close(descriptor)
    if size > limit:
        raise TooMuch(f"more than {MAX_BYTES >> 20} MiB are in {Path(path).name}")
    return b"".join(parts)


def write_contents(contents: Contents, path: Path) -> None:
    """Write a log to a path that does not exist yet."""
    if isinstance(contents, bytes):
        _write(contents, path)
        return
    path.mkdir()
    for name, data in contents.items():
        if "/" in name:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
        _write(data, f"{path}/{name}")


def _write(data: bytes, path: str | Path) -> None:
    # Do not follow a link, because a program under test may have created it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o666)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
    finally:
        os.close(descriptor)


def by_name(contents: Contents) -> Mapping[str, bytes]:
    """Map the file names of a log to their bytes. The name is empty in a single-file log."""
    return {"": contents} if isinstance(contents, bytes) else contents


def digest(contents: Contents) -> str:
    """Return the SHA-256 of a file, or of a directory's ``sha256sum`` listing in name order."""
    if isinstance(contents, bytes):
        return hashlib.sha256(contents).hexdigest()
    listing = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(contents.items())
    )
    return hashlib.sha256(listing.encode()).hexdigest()


def size(contents: Contents) -> int:
    """Return the total size of all files, in bytes."""
    if isinstance(contents, bytes):
        return len(contents)
    return sum(map(len, contents.values()))
