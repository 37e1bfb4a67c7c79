"""Convert the output of ``strace`` to a trace: the operations of a program below one directory.

Operations are ordered by the end of their system calls. A sync covers the operations that ended
before the sync began. :mod:`~lab.crash.mapped` adds the writes to mapped memory.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.crash.mapped import Mapped
from lab.crash.sync_snapshots import Files, Look
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
    """The state that the threads of a process share.

    ``mappings`` has the file and the number of bytes at each address.
    """

    files: dict[int, _Open] = field(default_factory=dict)
    mappings: dict[int, tuple[int, int]] = field(default_factory=dict)


@dataclass
class _Call:
    """A completed call. ``since`` is the number of operations before it began."""

    process: _Process
    words: list[bytes]
    result: int
    since: int


#: Calls that are handled like another one, which may take the directory of each path.
_SAME = {
    "open": "openat", "openat2": "openat", "creat": "openat", "dup2": "dup", "dup3": "dup",
    "readv": "read", "writev": "write", "pwritev": "pwrite64", "pwritev2": "pwrite64",
    "fdatasync": "fsync", "syncfs": "sync", "rename": "renameat", "renameat2": "renameat",
    "link": "linkat", "unlink": "unlinkat", "rmdir": "unlinkat", "mkdir": "mkdirat",
    "clone3": "clone", "fork": "clone", "vfork": "clone", "splice": "copy_file_range",
}  # fmt: skip
#: The number of paths of the calls that take no directories.
_PATHS = {"open": 1, "creat": 1, "rename": 2, "link": 2, "unlink": 1, "rmdir": 1, "mkdir": 1}


def command(output: Path) -> list[str]:
    """Return the start of a command line that records a program."""
    # With a seccomp filter, strace would miss calls that another filter has paused.
    return [
        "strace", "--follow-forks", "--decode-fds=path", "--strings-in-hex=all",
        "--string-limit", str(MAX_WRITE_BYTES), "--signal=none", "--quiet=all", f"--trace={CALLS}",
        "--absolute-timestamps=format:unix,precision:us", "--syscall-times=us",
        "--output", str(output), "--",
    ]  # fmt: skip


class Parser:
    """Parse the output of strace, line by line, into :attr:`trace`.

    ``root`` is the recorded directory, and ``cwd`` is the working directory of the program.
    ``before`` maps the number of each request to the number of earlier acknowledged records.
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
        self._nodes = 0
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
        name, words = call[1].decode(), split(call[2])
        for at in range(_PATHS.get(name, 0)):
            words.insert(2 * at, b"AT_FDCWD")
        if name == "creat":
            words.insert(2, b"O_CREAT|O_TRUNC")
        handler: Callable[[_Call], None] | None
        if (handler := getattr(self, f"_{_SAME.get(name, name)}", None)) is not None:
            process = self._processes.setdefault(pid, _Process())
            handler(_Call(process, words, int(call[3], 0), since))

    def ended(self, files: Files) -> None:
        """Take the last snapshot, after the end of the program."""
        self.mapped.until(math.inf)
        self.mapped.compare(files)

    # What operations do to the trace.

    def _add(self, each: Operation) -> None:
        self.trace.operations.append(each)
        self.live.apply(each)

    def _node(self, path: bytes | None) -> int | None:
        inside = self._inside(path)
        return None if inside is None else self.live.node(inside)

    def _inside(self, path: bytes | None) -> str | None:
        """Return a path relative to the root, or None for a path outside the root."""
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
        """Return the directory and the last part of a path, or None for a path outside the root."""
        inside = self._inside(path)
        if not inside:
            return None
        above, _, name = inside.rpartition("/")
        folder = self.live.node(above)
        return None if folder is None else (folder, name)

    # Opening and closing.

    def _openat(self, call: _Call) -> None:
        path = path_at(call.words[0], call.words[1])
        flags = set(re.findall(rb"O_\w+", call.words[2]))
        if b"O_TMPFILE" in flags and self._inside(path) is not None:
            raise NotUnderstood("a file without a name (O_TMPFILE)")
        place, node = self._place(path), self._node(path)
        if node is None and place is not None and b"O_CREAT" in flags:
            node = self._create(place)
            self.live.content[node] = bytearray()
        elif node is not None and b"O_TRUNC" in flags and self.live.content.get(node):
            self._add(Resize(node, 0))
        syncs = bool(flags & {b"O_SYNC", b"O_DSYNC"})
        call.process.files[call.result] = _Open(node, 0, b"O_APPEND" in flags, syncs)

    def _create(self, place: tuple[int, str]) -> int:
        self._nodes += 1
        self._add(Names(((*place, self._nodes),)))
        return self._nodes

    def _close(self, call: _Call) -> None:
        call.process.files.pop(number(call.words[0]), None)

    def _dup(self, call: _Call) -> None:
        if (opened := call.process.files.get(number(call.words[0]))) is not None:
            call.process.files[call.result] = opened

    def _fcntl(self, call: _Call) -> None:
        if call.words[1].startswith(b"F_DUPFD"):
            self._dup(call)

    def _clone(self, call: _Call) -> None:
        process = call.process
        if not any(b"CLONE_FILES" in word for word in call.words):
            process = _Process(dict(process.files), dict(process.mappings))
        self._processes[call.result] = process

    def _lseek(self, call: _Call) -> None:
        self._file(call).offset = call.result

    def _read(self, call: _Call) -> None:
        self._file(call).offset += call.result

    def _file(self, call: _Call, argument: int = 0) -> _Open:
        """Return the file of a descriptor."""
        word = call.words[argument]
        descriptor = number(word)
        if (opened := call.process.files.get(descriptor)) is None:
            opened = call.process.files[descriptor] = _Open(self._node(fd_path(word)))
        return opened

    # Content.

    def _write(self, call: _Call) -> None:
        opened = self._file(call)
        if opened.node is None:
            self._find_acknowledgement(call.words[1])
            return
        if opened.appends:
            opened.offset = len(self.live.content[opened.node])
        self._put(opened, opened.offset, texts(call.words[1])[: call.result])
        opened.offset += call.result

    def _pwrite64(self, call: _Call) -> None:
        if (opened := self._file(call)).node is not None:
            self._put(opened, int(call.words[3]), texts(call.words[1])[: call.result])

    def _put(self, opened: _Open, at: int, data: bytes) -> None:
        assert opened.node is not None
        self._add(Write(opened.node, at, data))
        if opened.syncs:
            self._add(Sync(opened.node, len(self.trace.operations)))

    def _find_acknowledgement(self, word: bytes) -> None:
        """Parse a write to another file or pipe: it may be a reply that acknowledges records."""
        reply = texts(word) if len(word) < 4 << 10 else b""
        if (message := _ACKNOWLEDGED.search(reply)) and (seq := _SEQ.search(reply)):
            count = self.before.get(int(seq[1]), 0) + int(message[1])
            self.mapped.waits(self.snapshots.pop(count, Look(0.0, 0, {})))
            self._add(Acknowledged(count))

    def _ftruncate(self, call: _Call) -> None:
        if (node := self._file(call).node) is not None:
            self._add(Resize(node, int(call.words[1])))

    def _truncate(self, call: _Call) -> None:
        if (node := self._node(text(call.words[0]))) is not None:
            self._add(Resize(node, int(call.words[1])))

    def _fallocate(self, call: _Call) -> None:
        if (node := self._file(call).node) is None:
            return
        mode, at, size = call.words[1], int(call.words[2]), int(call.words[3])
        end = len(self.live.content[node])
        if b"PUNCH_HOLE" in mode or b"ZERO_RANGE" in mode:
            self._add(Write(node, at, bytes(max(0, min(at + size, end) - at))))
        elif mode == b"0" and at + size > end:
            self._add(Resize(node, at + size))

    def _copy_file_range(self, call: _Call) -> None:
        """Refuse a copy within the kernel: its data are not in the output of strace."""
        for argument, word in enumerate(call.words):
            if re.match(rb"\d+<", word) and self._file(call, argument).node is not None:
                raise NotUnderstood("a copy made by the system (copy_file_range, sendfile, splice)")

    def _sendfile(self, call: _Call) -> None:
        """Refuse a ``sendfile`` to a recorded file; other copies change nothing."""
        if self._file(call).node is not None:
            self._copy_file_range(call)
        if call.words[2] == b"NULL":
            self._file(call, 1).offset += call.result

    # Durability.

    def _fsync(self, call: _Call) -> None:
        if (node := self._node(fd_path(call.words[0]))) is not None:
            self._add(Sync(node, call.since))

    def _sync(self, call: _Call) -> None:
        self._add(Sync(None, call.since))

    def _mmap(self, call: _Call) -> None:
        words, mappings, size = call.words, call.process.mappings, int(call.words[1])
        self._unmap(mappings, call.result, size)
        if b"MAP_SHARED" in words[3] and (node := self._node(fd_path(words[4]))) is not None:
            mappings[call.result] = (node, size)
            if b"PROT_WRITE" in words[2]:
                self.mapped.files.add(node)

    def _munmap(self, call: _Call) -> None:
        self._unmap(call.process.mappings, int(call.words[0], 0), int(call.words[1]))

    def _unmap(self, mappings: dict[int, tuple[int, int]], address: int, size: int) -> None:
        for start in [each for each in mappings if address <= each < address + size]:
            del mappings[start]

    def _msync(self, call: _Call) -> None:
        address = int(call.words[0], 0)
        for start, (node, size) in call.process.mappings.items():
            if start <= address < start + size and b"MS_SYNC" in call.words[2]:
                self._add(Sync(node, call.since))

    # Names.

    def _renameat(self, call: _Call, keeps: bool = False) -> None:
        old, new = path_at(*call.words[:2]), path_at(*call.words[2:4])
        here, there, node = self._place(old), self._place(new), self._node(old)
        if node is not None and here is not None and there is not None:
            gone: tuple[tuple[int, str, int | None], ...] = () if keeps else ((*here, None),)
            self._add(Names((*gone, (*there, node))))
        elif here is not None or there is not None:
            raise NotUnderstood("a name that leaves or enters the folder")

    def _linkat(self, call: _Call) -> None:
        self._renameat(call, keeps=True)

    def _unlinkat(self, call: _Call) -> None:
        if (place := self._place(path_at(*call.words[:2]))) is not None:
            self._add(Names(((*place, None),)))

    def _mkdirat(self, call: _Call) -> None:
        if (place := self._place(path_at(*call.words[:2]))) is not None:
            node = self._create(place)
            self.trace.folders.add(node)
            self.live.names[node] = {}

    def _mount(self, call: _Call) -> None:
        """Record that a process sees a recorded directory at another path."""
        source, target, flags = call.words[0], call.words[1], call.words[3]
        if b"MS_BIND" in flags and (inside := self._inside(text(source))) is not None:
            self._elsewhere[text(target)] = os.fsencode(inside)
