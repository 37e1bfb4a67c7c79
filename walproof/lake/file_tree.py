"""The interface to local and remote file systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Entry:
    """A file or folder. ``fault`` is the error that prevents listing or reading it.

    ``inode`` identifies a file that may have several names, on file systems with inodes.
    ``is_link`` is true if the path is a symbolic link.
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
        """The last part of the path."""
        return self.path.rstrip("/").rpartition("/")[2]


class Tree(Protocol):
    """A file system. Paths are absolute and include the scheme. Methods raise ``OSError``."""

    def entry(self, path: str) -> Entry:
        """Return a file or folder. Raises ``FileNotFoundError``."""

    def entries(self, folder: str) -> Sequence[Entry]:
        """Return the contents of a folder, sorted by name."""

    def is_a(self, format_id: str, file: Entry) -> bool:
        """Return whether a file looks like a log in the given format."""

    def detect(self, path: str) -> str:
        """Return the format id of a file. Raises ``UnknownFormat``."""

    def read(self, path: str, offset: int, length: int) -> bytes:
        """Return ``length`` bytes of a file, or fewer at its end."""
