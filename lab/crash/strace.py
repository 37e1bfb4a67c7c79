"""Convert the output of ``strace`` to a trace: the operations of a program below one directory.

Operations are ordered by the end of their system calls. A sync covers the operations that ended
before it began. Writes to mapped memory are not system calls; they are found by comparing the trace
with snapshots of the files. :mod:`~lab.crash.sync_snapshots` takes snapshots while a call is paused
and while the program waits, and :mod:`~lab.crash.mapped` inserts them into the trace.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.crash.mapped import Mapped
from lab.crash.sync_snapshots import Look, Seen
from lab.crash.syscall_pause import CALLS as STOPPED
from lab.crash.trace import (
    Acknowledged,
    Live,
    Names,
    Operation,
    Resize,
    Sync,
    Trace,
    Write,
)

#: A longer write is an error.
MAX_WRITE_BYTES = 1 << 26
CALLS = (
    "open,openat,openat2,creat,close,dup,dup2,dup3,fcntl,lseek,read,readv,write,writev,pwrite64,"
    "pwritev,pwritev2,truncate,ftruncate,fallocate,fsync,fdatasync,sync,syncfs,msync,mmap,munmap,rename,"
    "renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir,copy_file_range,sendfile,"
    "splice,clone,clone3,fork,vfork,io_uring_enter,mount"
)
_TEXT = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_FD = re.compile(rb"(-?\d+|AT_FDCWD)(?:<((?:\\x[0-9a-f]{2})*)>)?")
_LINE = re.compile(rb"(\d+) +(?:(\d+\.\d+) )?(?:<\.\.\. (\w+) resumed>)?(.*)", re.S)
_NAME = re.compile(rb"(\w+)\(")
_TOOK = re.compile(rb"<(\d+\.\d+)>$")
_CALL = re.compile(rb"(\w+)\((.*)\) += (0x[0-9a-f]+|-?\d+|\?)", re.S)
_ACKNOWLEDGED = re.compile(rb'"acknowledged"\s*:\s*(\d+)')
_SEQ = re.compile(rb'"seq"\s*:\s*(\d+)')


class NotUnderstood(Exception):
    """A program did something to its files that cannot be replayed."""


def split(arguments: bytes) -> list[bytes]:
    """Split arguments at the commas outside of brackets. Texts are in hex: they have none."""
    words, depth, start = [], 0, 0
    for mark in re.finditer(rb"[\[{(]|[\]})]|, ", arguments):
        if mark[0] == b", ":
            if not depth:
                words.append(arguments[start : mark.start()])
                start = mark.end()
        else:
            depth += 1 if mark[0] in b"[{(" else -1
    return [*words, arguments[start:]]


def unhex(shown: bytes) -> bytes:
    """Return the bytes that are shown."""
    return bytes.fromhex(shown.replace(rb"\x", b"").decode())


def text(word: bytes) -> bytes:
    """Return the first text of an argument."""
    result = _TEXT.search(word)
    return unhex(result[1]) if result else b""


def texts(word: bytes) -> bytes:
    """Return the data of a write, of one buffer or several."""
    results = list(_TEXT.finditer(word))
    if any(each[2] for each in results):
        raise NotUnderstood(f"a write of more than {MAX_WRITE_BYTES} bytes")
    return b"".join(unhex(each[1]) for each in results)


def number(word: bytes) -> int:
    """Return the number of a descriptor; -1 for the working folder."""
    result = _FD.match(word)
    return int(result[1]) if result and result[1] != b"AT_FDCWD" else -1


def fd_path(word: bytes) -> bytes | None:
    """Return the path that strace shows for a descriptor; None for a file without a name."""
    result = _FD.match(word)
    return unhex(result[2]) if result and result[2] and not word.endswith(b"(deleted)") else None


def path_at(folder: bytes, word: bytes) -> bytes:
    """Return a path that is relative to the folder of a descriptor."""
    return os.path.join(fd_path(folder) or b"", text(word))  # noqa: PTH118 - bytes


@dataclass
class _Open:
    """An open file description: where the next read or write begins."""

    node: int | None
    offset: int = 0
    appends: bool = False
    syncs: bool = False


@dataclass
class _Process:
    """The state that the threads of a process share."""

    files: dict[int, _Open] = field(default_factory=dict)
    mappings: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Address → the file that is mapped there, and how many bytes."""


def command(output: Path) -> list[str]:
    """Return the start of a command line that records a program.

    strace gets no seccomp filter, because it would then miss calls that another filter has paused.
    """
    return [
        "strace", "--follow-forks", "--decode-fds=path", "--strings-in-hex=all",
        "--string-limit", str(MAX_WRITE_BYTES), "--signal=none", "--quiet=all", f"--trace={CALLS}",
        "--absolute-timestamps=format:unix,precision:us", "--syscall-times=us",
        "--output", str(output), "--",
    ]  # fmt: skip


class Parser:
    """Parse the output of strace, line by line, into :attr:`trace`.

    ``root`` is the recorded directory, and ``cwd`` is the working directory of the program.
    ``before`` maps the number of each request to the number of records acknowledged before it.
    """

    def __init__(self, root: Path, cwd: Path, before: Mapping[int, int]) -> None:
        self.root, self.cwd, self.before = os.fsencode(root), os.fsencode(cwd), before
        self.trace = Trace()
        self.live = Live()
        self.mapped = Mapped(self.trace, self.live)
        #: Note the content of the files when this many records were acknowledged and the program
        #: waited.
        self.snapshots: dict[int, Look] = {}
        self._elsewhere: dict[bytes, bytes] = {}
        self._next = 1
        self._begun: dict[int, bytes] = {}
        self._processes: dict[int, _Process] = {}

    def line(self, line: bytes) -> None:
        """Take one line."""
        if (result := _LINE.fullmatch(line.rstrip(b"\n"))) is None:
            return
        pid, time, resumed, rest = int(result[1]), float(result[2] or 0), result[3], result[4]
        unfinished = rest.endswith(b"<unfinished ...>")
        if not unfinished and not resumed and (took := _TOOK.search(rest)):
            time += float(took[1])  # no other line came between its beginning and its end
        if not resumed:
            self.mapped.begins(pid)
        self.mapped.until(time)
        if unfinished:
            self._begun[pid] = rest.removesuffix(b"<unfinished ...>")
            return
        if resumed:
            rest = self._begun.pop(pid, b"") + rest
        is_stopped = (what := _NAME.match(rest)) and what[1].decode() in STOPPED
        if is_stopped and b"ERESTART" not in rest:
            self.mapped.ends(pid)
        since = self.mapped.began.pop(pid, len(self.trace.operations))
        if (call := _CALL.match(rest)) is None or call[3] == b"?" or call[3].startswith(b"-"):
            return
        handler: Callable[..., None] | None = getattr(self, f"_{call[1].decode()}", None)
        name = call[1].decode()
        if handler is None:
            handler = getattr(self, _SAME.get(name, ""), None)
        if handler is not None:
            process = self._processes.setdefault(pid, _Process())
            arguments = split(call[2])
            handler(process, arguments, int(call[3], 0), since, pid)

    def ended(self, files: Seen) -> None:
        """The files when the program is gone: what it mapped may have changed since."""
        self.mapped.until(math.inf)
        self.mapped.seen(files)

    # What operations do to the trace.

    def _add(self, each: Operation) -> None:
        self.trace.operations.append(each)
        self.live.apply(each)

    def _node(self, path: bytes | None) -> int | None:
        inside = self._inside(path)
        return None if inside is None else self.live.node(inside)

    def _inside(self, path: bytes | None) -> str | None:
        """A path relative to the root, or None for one that is elsewhere."""
        if path is None:
            return None
        path = os.path.normpath(os.path.join(self.cwd, path))  # noqa: PTH118 - bytes
        for place, shown in ((self.root, b""), *self._elsewhere.items()):
            if path == place:
                return os.fsdecode(shown)
            if path.startswith(place + b"/"):
                return os.fsdecode(os.path.join(shown, path[len(place) + 1 :]))  # noqa: PTH118
        return None

    def _place(self, path: bytes) -> tuple[int, str] | None:
        """The folder and the last part of a path, or None for one that is elsewhere."""
        inside = self._inside(path)
        if not inside:
            return None
        above, _, name = inside.rpartition("/")
        folder = self.live.node(above)
        return None if folder is None else (folder, name)

    # Opening and closing.

    def _openat(self, process: _Process, words: list[bytes], fd: int, since: int, pid: int) -> None:
        self._opened(process, path_at(words[0], words[1]), words[2], fd)

    def _open(self, process: _Process, words: list[bytes], fd: int, since: int, pid: int) -> None:
        self._opened(process, text(words[0]), words[1], fd)

    def _creat(self, process: _Process, words: list[bytes], fd: int, since: int, pid: int) -> None:
        self._opened(process, text(words[0]), b"O_CREAT|O_TRUNC", fd)

    def _opened(self, process: _Process, path: bytes, how: bytes, fd: int) -> None:
        place = self._place(path)
        node = self._node(path)
        flags = set(re.findall(rb"O_\w+", how))
        if b"O_TMPFILE" in flags and self._inside(path) is not None:
            raise NotUnderstood("a file without a name (O_TMPFILE)")
        if node is None and place is not None and b"O_CREAT" in flags:
            node = self._next
            self._next += 1
            self.live.content[node] = bytearray()
            self._add(Names(((*place, node),)))
        elif node is not None and b"O_TRUNC" in flags and self.live.content.get(node):
            self._add(Resize(node, 0))
        syncs = bool(flags & {b"O_SYNC", b"O_DSYNC"})
        process.files[fd] = _Open(node, 0, b"O_APPEND" in flags, syncs)

    def _close(self, process: _Process, words: list[bytes], *_: int) -> None:
        process.files.pop(number(words[0]), None)

    def _dup(self, process: _Process, words: list[bytes], fd: int, *_: int) -> None:
        if (opened := process.files.get(number(words[0]))) is not None:
            process.files[fd] = opened

    def _fcntl(self, process: _Process, words: list[bytes], fd: int, *_: int) -> None:
        if words[1].startswith(b"F_DUPFD"):
            self._dup(process, words, fd)

    def _clone(
        self, process: _Process, words: list[bytes], child: int, since: int, pid: int
    ) -> None:
        if any(b"CLONE_FILES" in word for word in words):
            self._processes[child] = process
        else:
            self._processes[child] = _Process(dict(process.files), dict(process.mappings))

    def _lseek(self, process: _Process, words: list[bytes], offset: int, *_: int) -> None:
        self._file(process, words[0]).offset = offset

    def _read(self, process: _Process, words: list[bytes], count: int, *_: int) -> None:
        self._file(process, words[0]).offset += count

    def _file(self, process: _Process, word: bytes) -> _Open:
        """Return the file of a descriptor."""
        descriptor = number(word)
        if (opened := process.files.get(descriptor)) is None:
            opened = process.files[descriptor] = _Open(self._node(fd_path(word)))
        return opened

    # Content.

    def _write(
        self, process: _Process, words: list[bytes], count: int, since: int, pid: int
    ) -> None:
        opened = self._file(process, words[0])
        if opened.node is None:
            self._heard(words)
            return
        if opened.appends:
            opened.offset = len(self.live.content[opened.node])
        self._put(opened, opened.offset, texts(words[1])[:count])
        opened.offset += count

    def _pwrite64(self, process: _Process, words: list[bytes], *_: int) -> None:
        if (opened := self._file(process, words[0])).node is not None:
            self._put(opened, int(words[3]), texts(words[1])[: _[0]])

    def _put(self, opened: _Open, at: int, data: bytes) -> None:
        assert opened.node is not None
        self._add(Write(opened.node, at, data))
        if opened.syncs:
            self._add(Sync(opened.node, len(self.trace.operations)))

    def _heard(self, words: list[bytes]) -> None:
        """A write that goes elsewhere: it may tell the harness what is safe."""
        reply = texts(words[1]) if len(words[1]) < 4 << 10 else b""
        if (message := _ACKNOWLEDGED.search(reply)) and (seq := _SEQ.search(reply)):
            count = self.before.get(int(seq[1]), 0) + int(message[1])
            self.mapped.waits(self.snapshots.pop(count, Look(0.0, 0, {})))
            self._add(Acknowledged(count))

    def _ftruncate(self, process: _Process, words: list[bytes], *_: int) -> None:
        if (node := self._file(process, words[0]).node) is not None:
            self._add(Resize(node, int(words[1])))

    def _truncate(self, process: _Process, words: list[bytes], *_: int) -> None:
        if (node := self._node(text(words[0]))) is not None:
            self._add(Resize(node, int(words[1])))

    def _fallocate(self, process: _Process, words: list[bytes], *_: int) -> None:
        if (node := self._file(process, words[0]).node) is None:
            return
        at, size, has = int(words[2]), int(words[3]), len(self.live.content[node])
        if b"PUNCH_HOLE" in words[1] or b"ZERO_RANGE" in words[1]:
            self._add(Write(node, at, bytes(max(0, min(at + size, has) - at))))
        elif words[1] == b"0" and at + size > has:
            self._add(Resize(node, at + size))

    def _copied(self, process: _Process, words: list[bytes], *_: int) -> None:
        """Copies within the kernel: the data are not in the trace."""
        for word in words:
            is_one = re.match(rb"\d+<", word)
            if is_one and self._file(process, word).node is not None:
                raise NotUnderstood("a copy made by the system (copy_file_range, sendfile, splice)")

    def _sendfile(self, process: _Process, words: list[bytes], count: int, *_: int) -> None:
        """``sendfile(out, in, offset, count)`` between two files of the folder."""
        into, source = self._file(process, words[0]), self._file(process, words[1])
        if into.node is None:
            return
        if source.node is None:
            raise NotUnderstood("a copy from a file elsewhere (sendfile)")
        position = re.search(rb"\[(\d+)\]", words[2])  # where it stands before, or after, the call
        begin = source.offset if position is None else int(position[1])
        self._put(into, into.offset, bytes(self.live.content[source.node][begin : begin + count]))
        into.offset += count
        if position is None:
            source.offset += count

    # Durability.

    def _fsync(
        self, process: _Process, words: list[bytes], result: int, since: int, pid: int
    ) -> None:
        if (node := self._node(fd_path(words[0]))) is not None:
            self._add(Sync(node, since))

    def _sync(
        self, process: _Process, words: list[bytes], result: int, since: int, pid: int
    ) -> None:
        self._add(Sync(None, since))

    def _mmap(self, process: _Process, words: list[bytes], address: int, *_: int) -> None:
        self._unmap(process, address, int(words[1]))
        if b"MAP_SHARED" in words[3] and (node := self._node(fd_path(words[4]))) is not None:
            process.mappings[address] = (node, int(words[1]))
            if b"PROT_WRITE" in words[2]:
                self.mapped.files.add(node)

    def _munmap(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._unmap(process, int(words[0], 0), int(words[1]))

    def _unmap(self, process: _Process, address: int, size: int) -> None:
        """Nothing that began there is mapped any more."""
        for start in [each for each in process.mappings if address <= each < address + size]:
            del process.mappings[start]

    def _msync(
        self, process: _Process, words: list[bytes], result: int, since: int, pid: int
    ) -> None:
        address = int(words[0], 0)
        for start, (node, size) in process.mappings.items():
            if start <= address < start + size and b"MS_SYNC" in words[2]:
                self._add(Sync(node, since))

    # Names.

    def _moved(self, old: bytes, new: bytes, keep: bool) -> None:
        here, there, node = self._place(old), self._place(new), self._node(old)
        if node is None or here is None or there is None:
            if here is not None or there is not None:
                raise NotUnderstood("a name that leaves or enters the folder")
            return
        goes: tuple[tuple[int, str, int | None], ...] = () if keep else ((*here, None),)
        self._add(Names((*goes, (*there, node))))

    def _rename(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._moved(text(words[0]), text(words[1]), keep=False)

    def _renameat(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._moved(path_at(words[0], words[1]), path_at(words[2], words[3]), keep=False)

    def _link(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._moved(text(words[0]), text(words[1]), keep=True)

    def _linkat(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._moved(path_at(words[0], words[1]), path_at(words[2], words[3]), keep=True)

    def _unlink(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._gone(text(words[0]))

    def _unlinkat(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._gone(path_at(words[0], words[1]))

    def _gone(self, path: bytes) -> None:
        if (place := self._place(path)) is not None:
            self._add(Names(((*place, None),)))

    def _mkdir(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._create(text(words[0]))

    def _mkdirat(self, process: _Process, words: list[bytes], *_: int) -> None:
        self._create(path_at(words[0], words[1]))

    def _create(self, path: bytes) -> None:
        if (place := self._place(path)) is not None:
            node = self._next
            self._next += 1
            self.trace.folders.add(node)
            self.live.names[node] = {}
            self._add(Names(((*place, node),)))

    def _mount(self, process: _Process, words: list[bytes], *_: int) -> None:
        """A folder of ours that a process sees at another place, too."""
        if b"MS_BIND" in words[3] and (inside := self._inside(text(words[0]))) is not None:
            self._elsewhere[text(words[1])] = os.fsencode(inside)


_SAME = {
    "openat2": "_openat", "dup2": "_dup", "dup3": "_dup", "readv": "_read", "writev": "_write",
    "pwritev": "_pwrite64", "pwritev2": "_pwrite64", "fdatasync": "_fsync", "syncfs": "_sync",
    "renameat2": "_renameat", "rmdir": "_unlink", "clone3": "_clone", "fork": "_clone",
    "vfork": "_clone", "copy_file_range": "_copied", "splice": "_copied",
}  # fmt: skip
"""Calls that differ from another in nothing that matters here."""
