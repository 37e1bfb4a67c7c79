"""The interface between a format and discovery: finding its logs in folders, and its options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from walproof.lake.file_tree import Entry, Tree

#: The context that a folder provides for one of its logs, and the files of this log.
FoundFiles = tuple[dict[str, Any], list[Entry]]


@dataclass(frozen=True)
class Folder:
    """A folder that may contain logs of several files.

    ``is_given`` is true if the user gave the format. The content of files is then not inspected.
    """

    format: str
    entries: Sequence[Entry]
    tree: Tree
    is_given: bool

    def looks_like(self, files: Sequence[Entry]) -> bool:
        """Return whether one of the files looks like the format, or the user gave the format."""
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
    """The format-specific part of discovery.

    The defaults suit a format that has no options and whose logs are single files without a stable
    name.
    """

    #: Options that set context keys of the readers. Each option name maps to a context key and a
    #: parser. A parser returns None for the default, and raises ``ValueError`` with the expected
    #: value.
    options: Mapping[str, tuple[str, Callable[[str], Any]]] = {}

    #: Distance in bytes between the offsets at which a scan may begin. None if every scan must
    #: begin at the start of a log.
    restart_bytes: int | None = None

    def recognises(self, path: Path) -> bool:
        """Return whether a file is a log that the reader does not recognise. Raises ``OSError``."""
        return False

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """Yield the logs of several files in a folder."""
        return iter(())

    def order(self, name: str) -> int:
        """Return the position of a file, by its name, among the files of its log."""
        return 0

    def stable_name(self, path: str, tree: Tree) -> str | None:
        """Return a name that survives a rename, or None to use the path. Raises ``OSError``."""
        return None


def is_file(entry: Entry) -> bool:
    """Return whether an entry is a readable file."""
    return not entry.is_folder and entry.fault is None
