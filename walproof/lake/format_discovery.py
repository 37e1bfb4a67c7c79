"""The interface of a format to discovery: how its logs are found in folders, and its options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from walproof.lake.file_tree import Entry, Tree
from walproof.lake.option import Option

FoundFiles = tuple[dict[str, Any], list[Entry]]
"""The context that a folder tells of a log in it, and the log's files."""


@dataclass(frozen=True)
class Folder:
    """A folder that may hold logs of several files.

    ``is_given``: the user gave the format, so that files are not looked at.
    """

    format: str
    entries: Sequence[Entry]
    tree: Tree
    is_given: bool

    def looks_like(self, files: Sequence[Entry]) -> bool:
        """Whether one of the files does; without looking, when the user says that they are."""
        if self.is_given:
            return True
        for file in files:
            try:
                if self.tree.is_a(self.format, file):
                    return True
            except OSError:
                continue
        return False


class Discovery:
    """A format with no options, each of whose logs is a file without a stable name."""

    options: Sequence[Option] = ()
    """Options that go into the context of its readers: ``attribute`` is the key."""

    restart_bytes: int | None = None
    """A scan may begin at each multiple of so many bytes; None if only at the start of a log."""

    def recognises(self, path: Path) -> bool:
        """Whether a file that its reader does not recognise is such a log after all. ``OSError``"""
        return False

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """The logs of several files in a folder."""
        return iter(())

    def order(self, name: str) -> int:
        """The place of a file, by its name, among those of its log."""
        return 0

    def stable_name(self, path: str, tree: Tree) -> str | None:
        """What tells a log apart when its file is renamed; None for its path. ``OSError``."""
        return None


def is_file(entry: Entry) -> bool:
    """Whether it is a file that can be read."""
    return not entry.is_folder and entry.fault is None
