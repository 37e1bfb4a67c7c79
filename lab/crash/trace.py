"""The file operations of a writer, in order. They are the input of every persistence model.

Files and directories are identified by numbers, as by inodes. Before the first operation, the
directory :data:`ROOT` is empty and durable.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, field

#: The directory that contains all recorded files.
ROOT = 0


@dataclass(frozen=True, slots=True)
class Write:
    """A write of ``data`` at offset ``at`` of a file, which may make the file longer."""

    file: int
    at: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    """A change of a file's size to ``size`` bytes. Added bytes are zeros."""

    file: int
    size: int


@dataclass(frozen=True, slots=True)
class NameChanges:
    """Names that change together, each as ``(folder, name, node)``. Node None removes a name."""

    changes: tuple[tuple[int, str, int | None], ...]


@dataclass(frozen=True, slots=True)
class Sync:
    """A sync, which stores a file or directory on the disk."""

    #: The synced file or directory, or None if the call syncs all of them.
    node: int | None
    #: Index of the first operation that the sync does not cover.
    since: int


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An acknowledgement that the first ``count`` records are safe."""

    count: int


Operation = Write | Resize | NameChanges | Sync | Acknowledged


@dataclass
class Trace:
    """The operations of a writer, and the numbers of the nodes that are folders."""

    operations: list[Operation] = field(default_factory=list)
    folders: set[int] = field(default_factory=lambda: {ROOT})

    @property
    def acknowledged(self) -> int:
        """The number of records that are acknowledged at the end."""
        return max(
            (each.count for each in self.operations if isinstance(each, Acknowledged)), default=0
        )

    @property
    def syncs(self) -> int:
        """The number of syncs."""
        return sum(isinstance(each, Sync) for each in self.operations)


NameTree = dict[int, dict[str, int]]


def paths(names: NameTree, folder: int = ROOT, below: str = "") -> Iterator[tuple[str, int]]:
    """Yield every path below a directory, and its node. A directory comes before its contents."""
    for name, node in sorted(names.get(folder, {}).items()):
        yield below + name, node
        if node in names:
            yield from paths(names, node, f"{below}{name}/")


class Live:
    """The files as the running system sees them after all operations so far."""

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
    """Apply a change of names. A change in a removed directory has no effect."""
    for folder, name, node in operation.changes:
        inside = names.setdefault(folder, {})
        if node is None:
            inside.pop(name, None)
        else:
            inside[name] = node
