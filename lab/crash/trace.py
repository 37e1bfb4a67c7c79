"""The operations of a writer on its files, in order. Every persistence model takes them as input.

Numbers identify files and directories, like inodes. The directory :data:`ROOT` is empty and durable
before the first operation.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field

#: The directory that contains all recorded files.
ROOT = 0


@dataclass(frozen=True, slots=True)
class Write:
    """A write of ``data`` at the offset ``at`` of a file. The file may grow."""

    file: int
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    """A change of a file's size, in bytes. Added bytes are zeros."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class NameChanges:
    """Names that change together, each as ``(folder, name, node)``. None removes the name."""

    changes: tuple[tuple[int, str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Sync:
    """A sync, which stores a file or directory on the disk."""

    #: None for a sync of all files and directories.
    node: int | None
    #: Number of the first operation that the sync does not cover.
    since: int


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An acknowledgement that the first ``count`` records are safe."""

    count: int


Operation = Write | Resize | NameChanges | Sync | Acknowledged


@dataclass
class Trace:
    """The operations, and the nodes that are folders."""

    operations: list[Operation] = field(default_factory=list)
    folders: set[int] = field(default_factory=lambda: {ROOT})

    @property
    def acknowledged(self) -> int:
        """The number of acknowledged records at the end."""
        return max(
            (each.count for each in self.operations if isinstance(each, Acknowledged)), default=0
        )

    @property
    def syncs(self) -> int:
        """The number of syncs."""
        return sum(isinstance(each, Sync) for each in self.operations)


NameTree = dict[int, dict[str, int]]


def paths(names: NameTree, folder: int = ROOT, below: str = "") -> Iterator[tuple[str, int]]:
    """Yield every path below a directory with its node, each directory before its contents."""
    for name, node in sorted(names.get(folder, {}).items()):
        yield below + name, node
        if node in names:
            yield from paths(names, node, f"{below}{name}/")


class Live:
    """The files as the running system shows them, after all operations."""

    def __init__(self) -> None:
        self.names: NameTree = {ROOT: {}}
        self.content: dict[int, bytearray] = {}

    def apply(self, operation: Operation) -> None:
        """Apply one operation."""
        if isinstance(operation, Write):
            content = self.content.setdefault(operation.file, bytearray())
            content.extend(bytes(max(0, operation.at + len(operation.data) - len(content))))
            content[operation.at : operation.at + len(operation.data)] = operation.data
        elif isinstance(operation, Resize):
            content = self.content.setdefault(operation.file, bytearray())
            del content[operation.size :]
            content.extend(bytes(operation.size - len(content)))
        elif isinstance(operation, NameChanges):
            change_names(self.names, operation)

    def files(self, folders: Container[int]) -> dict[str, bytes | None]:
        """Return the content of every path, ``None`` for a folder."""
        return {
            path: None if node in folders else bytes(self.content.get(node, b""))
            for path, node in paths(self.names)
        }


def change_names(names: NameTree, operation: NameChanges) -> None:
    """Apply a change of names. A directory that no longer exists is ignored."""
    for folder, name, node in operation.changes:
        inside = names.setdefault(folder, {})
        if node is None:
            inside.pop(name, None)
        else:
            inside[name] = node
