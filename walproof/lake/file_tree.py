"""The interface of a file system: files and folders, wherever they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Entry:
    """A file or folder: ``fault`` says why it can be neither listed nor read.

    ``inode`` tells two names of one file, where the file system has such a thing. ``is_link`` is
    whether the path itself is a symbolic link.
    """

    path: str
    is_folder: bool = False
    size: int = 0
    modified: float = 0.0
    fault: OSError | None = None
    inode: tuple[int, int] | None = None
    is_link: bool = False

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rstrip("/").rpartition("/")[2]


class Tree(Protocol):
    """What is needed of a file system. Paths are absolute, with their scheme. ``OSError``."""

    def entry(self, path: str) -> Entry:
        """One file or folder. ``FileNotFoundError``."""

    def entries(self, folder: str) -> Sequence[Entry]:
        """What is in a folder, by name."""

    def is_a(self, format_id: str, file: Entry) -> bool:
        """Whether a file looks like a log of this format."""

    def detect(self, path: str) -> str:
        """The id of a file's format. ``UnknownFormat``."""

    def read(self, path: str, offset: int, length: int) -> bytes:
        """``length`` bytes of a file, fewer at its end."""
