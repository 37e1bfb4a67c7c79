"""Turn snapshots of a program's files into a trace.

The difference between two snapshots shows what the program wrote between them, through system calls
or mapped memory. A sync covers the content that the files have when it begins.
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.crash.call_listener import Continues, SystemCall
from lab.crash.syscall_pause import SYNCS
from lab.crash.trace import (
    ROOT,
    Acknowledged,
    Live,
    NameChanges,
    NameTree,
    Operation,
    Resize,
    Sync,
    Trace,
    Write,
)

#: The system writes mapped memory back in pages of this size.
PAGE = 4096
WRITES = ("write", "writev", "pwrite64", "pwritev", "pwritev2")
SYNCS_OF_ALL = ("sync", "syncfs")
#: Maps each call that opens a file to the index of its ``flags`` argument.
_FLAGS = {"open": 1, "openat": 2}
_CHANGES_FILES = os.O_CREAT | os.O_TRUNC
_MS_SYNC = 4
#: The errors that reading ``/proc`` raises for a thread that has ended.
ENDED = (FileNotFoundError, ProcessLookupError)
#: The device and inode number of a file, which are the same in every mount namespace.
Inode = tuple[int, int]

#: An ``iovec``: the address and length of one buffer of a call.
_BUFFER = struct.Struct("=QQ")
#: With this offset, ``pwritev2`` writes at the current position of the descriptor.
_AT_POSITION = (1 << 64) - 1


@dataclass(frozen=True)
class _Writing:
    """A range of a file that a call writes."""

    file: Inode
    start: int
    end: int
    #: True if the call also syncs the file, because the descriptor has O_DSYNC.
    is_synchronous: bool


class CannotRecord(Exception):
    """The writer could not be recorded; the message gives the reason."""


class FileObserver:
    """Record what a program does to the files below a directory in :attr:`trace`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trace = Trace()
        self.live = Live()
        self._nodes = {_inode(folder.stat()): ROOT}
        self._count = 0
        #: The last write of each thread, which may still be running.
        self._writing: dict[int, _Writing] = {}

    def begins(self, call: SystemCall) -> Continues | None:
        """Record the changes before a call. For a sync, return a function that records the sync.

        Raises ``OSError``, and :class:`CannotRecord` if the program uses io_uring.
        """
        if call.name == "io_uring_enter":
            raise CannotRecord("io_uring writes and syncs files without a call for each")
        if call.name in _FLAGS and not call.arguments[_FLAGS[call.name]] & _CHANGES_FILES:
            return None
        file = _file_of(call) if call.name in WRITES + SYNCS else None
        if file is None and call.name in WRITES:
            return None
        self.take_snapshot()
        self._writing.pop(call.thread, None)
        if file is not None and call.name in WRITES:
            size = len(self.live.content.get(self._nodes.get(file, -1), b""))
            with contextlib.suppress(*ENDED):
                self._writing[call.thread] = _writing(call, file, size)
        node = None if file is None else self._nodes.get(file)
        if call.name not in SYNCS or (node is None and call.name not in SYNCS_OF_ALL):
            return None
        sync = Sync(node, len(self.trace.operations))

        def continues() -> None:
            self.take_snapshot()
            self._add(sync)

        return continues

    def acknowledges(self, count: int) -> None:
        """Record that the program has acknowledged the first ``count`` records."""
        self.take_snapshot()
        self._add(Acknowledged(count))

    def take_snapshot(self) -> None:
        """Record the changes since the last snapshot.

        Raises ``OSError``, and :class:`CannotRecord` for a new file that already has content.
        """
        nodes, contents = {_inode(self.folder.stat()): ROOT}, dict[Inode, bytes]()
        names: NameTree = {ROOT: {}}
        places = {str(self.folder): ROOT}
        for path, status, content in _entries(self.folder):
            inode = _inode(status)
            if (node := nodes.get(inode, self._nodes.get(inode))) is None:
                if content:
                    raise CannotRecord(
                        f"{path}: expected a new file to be empty, found {len(content)} bytes"
                    )
                self._count += 1
                node = self._count
            nodes[inode] = node
            names[places[str(path.parent)]][path.name] = node
            if content is None:
                self.trace.folders.add(node)
                places[str(path)] = node
                names[node] = {}
            else:
                contents[inode] = content
        self._nodes = nodes
        if changes := tuple(_changes(self.live.names, names)):
            self._add(NameChanges(changes))
        for inode, content in contents.items():
            self._add_changes(inode, content)

    def _add_changes(self, inode: Inode, content: bytes) -> None:
        node = self._nodes[inode]
        known = self.live.content.setdefault(node, bytearray())
        if known == content:
            return
        if len(content) < len(known):
            self._add(Resize(node, len(content)))
        for writing in self._writing.values():
            data = content[writing.start : writing.end]
            if writing.file == inode and known[writing.start : writing.end] != data:
                self._add(Write(node, writing.start, data))
                if writing.is_synchronous:
                    self._add(Sync(node, len(self.trace.operations)))
        if len(content) > len(known):
            self._add(Resize(node, len(content)))
        for at in range(0, len(content), PAGE):
            if known[at : at + PAGE] != (page := content[at : at + PAGE]):
                self._add(Write(node, at, page))

    def _add(self, each: Operation) -> None:
        self.trace.operations.append(each)
        self.live.apply(each)


def _inode(status: os.stat_result) -> Inode:
    return status.st_dev, status.st_ino


def _entries(folder: Path) -> Iterator[tuple[Path, os.stat_result, bytes | None]]:
    """Yield each path below a directory with its content, which is None for a directory."""
    for at, folders, files in os.walk(folder):
        for name in sorted([*folders, *files]):
            path = Path(at, name)
            # No other error is suppressed, because the trace would be incomplete.
            with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                status = path.lstat()
                if stat.S_ISDIR(status.st_mode):
                    yield path, status, None
                elif stat.S_ISREG(status.st_mode):
                    yield path, status, path.read_bytes()


def _changes(before: NameTree, after: NameTree) -> Iterator[tuple[int, str, int | None]]:
    for folder, names in after.items():
        known = before.get(folder, {})
        yield from ((folder, name, None) for name in known if name not in names)
        yield from ((folder, name, node) for name, node in names.items() if known.get(name) != node)


def _file_of(call: SystemCall) -> Inode | None:
    process = Path("/proc", str(call.thread))
    if call.name in SYNCS_OF_ALL:
        return None
    with contextlib.suppress(*ENDED):
        if call.name == "msync":
            path = _mapped_path(process, call.arguments[0])
            is_sync = call.arguments[2] & _MS_SYNC
            return _inode(Path(f"{process}/root{path}").stat()) if path and is_sync else None
        status = (process / f"fd/{call.arguments[0]}").stat()
        if stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            return _inode(status)
    return None


def _mapped_path(process: Path, address: int) -> str:
    """Return the path of the file that is mapped at an address, or an empty string."""
    for line in (process / "maps").read_text(errors="surrogateescape").splitlines():
        start, end = (int(each, 16) for each in line.partition(" ")[0].split("-"))
        if start <= address < end:
            return (line.split(maxsplit=5)[5:] or [""])[0]
    return ""


def _writing(call: SystemCall, file: Inode, size: int) -> _Writing:
    """Determine the range of a write from the program's descriptor and memory."""
    process = Path("/proc", str(call.thread))
    descriptor, address, count, offset, *_ = call.arguments
    text = (process / f"fdinfo/{descriptor}").read_text()
    about = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    flags, at = int(about["flags"], 8), int(about["pos"])
    if flags & os.O_APPEND:
        at = size
    elif call.name.startswith("p") and offset != _AT_POSITION:
        at = offset
    if "v" in call.name:
        with (process / "mem").open("rb", buffering=0) as memory:
            memory.seek(address)
            buffers = memory.read(count * _BUFFER.size)
        count = sum(each for _, each in _BUFFER.iter_unpack(buffers))
    return _Writing(file, at, at + count, bool(flags & os.O_DSYNC))
