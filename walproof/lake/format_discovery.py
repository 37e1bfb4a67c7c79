"""The interface through which a format defines its options and how to find its logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from walproof.lake.file_tree import Entry, Tree

#: The first element is the context that a folder determines for one of its logs. The second element
#: lists the files of this log.
FoundFiles = tuple[dict[str, Any], list[Entry]]


@dataclass(frozen=True)
class Folder:
    """A folder that may contain logs consisting of several files.

    If ``is_given`` is true, the user specified the format, and file contents are not inspected.
    """

    format: str
    entries: Sequence[Entry]
    tree: Tree
    is_given: bool

    def looks_like(self, files: Sequence[Entry]) -> bool:
        """Return whether the user specified the format, or one of the files looks like it."""
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

    The defaults suit a format without options whose logs are single files without a stable name.
    """

    #: These options set context keys. Each option name maps to a context key and a parser. A parser
    #: returns None for the default value. For an invalid value, it raises ``ValueError`` with a
    #: description of valid values.
    options: Mapping[str, tuple[str, Callable[[str], Any]]] = {}

    #: Number of bytes between the offsets at which a scan may begin. None if every scan must begin
    #: at the start of the log.
    restart_bytes: int | None = None

    def recognises(self, path: Path) -> bool:
        """Return whether a file is a log that the reader cannot recognise. Raises ``OSError``."""
        return False

    def logs_in(self, folder: Folder) -> Iterator[FoundFiles]:
        """Yield the logs in a folder that consist of several files."""
        return iter(())

    def order(self, name: str) -> int:
        """Return a file's position among the files of its log, according to its name."""
        return 0

    def stable_name(self, path: str, tree: Tree) -> str | None:
        """Return a name that stays the same if the file is renamed, or None to use the path."""
        return None


def is_file(entry: Entry) -> bool:
    """Return whether an entry is a readable file."""
    return not entry.is_folder and entry.fault is None
