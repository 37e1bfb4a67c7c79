"""Describe the files in a directory that are not read: links, special and unreadable files."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path

_SPECIAL_FILES = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


@dataclass(frozen=True)
class UnreadFile:
    """A file or directory that was not read. ``is_error`` is false for links and special files."""

    name: str
    reason: str
    is_error: bool = False
    error: OSError | None = field(default=None, compare=False)


def special_file(path: Path) -> str | None:
    """Describe a link or special file. Return None for a file or directory. Raises ``OSError``."""
    kind = _SPECIAL_FILES.get(stat.S_IFMT(path.lstat().st_mode))
    return f"{kind} to {path.readlink()}" if kind == "a link" else kind
