"""Namespaces of Linux, which a plain user may make where the system allows it.

The process sees the files as they are, but can change only those that it was given, finds nothing
in the places that are hidden, and has a network of its own with nobody else in it.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

_NEWNS, _NEWIPC, _NEWUSER, _NEWNET = 0x00020000, 0x08000000, 0x10000000, 0x40000000
_MS_BIND, _MS_REC, _MS_SLAVE = 4096, 16384, 1 << 19
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 2, 4, 8
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _ATTR_RDONLY = 442, -100, 0x8000, 1
_PR_CAPBSET_DROP = 24
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def enter(writes: Sequence[Path], hides: Sequence[Path]) -> None:
    """Leave the namespaces of the caller. The process must have one thread, and run a program soon.

    ``writes`` are the folders that it may change, ``hides`` folders and files that are empty to
    it; both exist, and all are resolved. Raises ``OSError``.
    """
    assert _LIBC is not None
    user, group = os.geteuid(), os.getegid()
    _checked(_LIBC.unshare(_NEWUSER | _NEWNS | _NEWNET | _NEWIPC))
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")
    _mount(None, "/", None, _MS_REC | _MS_SLAVE)
    for path in writes:
        _mount(str(path), str(path), None, _MS_BIND)
    for path in hides:
        if path.is_dir():
            flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
            _mount("tmpfs", str(path), "tmpfs", flags, "size=4k,nr_inodes=2,mode=555")
        else:
            _mount("/dev/null", str(path), None, _MS_BIND)
    _set_attributes("/", _AT_RECURSIVE, on=_ATTR_RDONLY)
    for path in writes:
        _set_attributes(str(path), 0, off=_ATTR_RDONLY)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", _IFF_UP)
        fcntl.ioctl(any_socket.fileno(), _SIOCSIFFLAGS, request)
    # Else a box of root's could unmount all this: the program is to have no capability here.
    with contextlib.suppress(OSError):
        for capability in range(64):
            _checked(_LIBC.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0))


def _mount(what: str | None, where: str, kind: str | None, flags: int, data: str = "") -> None:
    assert _LIBC is not None
    words = (None if word is None else os.fsencode(word) for word in (what, where, kind))
    source, target, type_ = words
    _checked(_LIBC.mount(source, target, type_, ctypes.c_ulong(flags), data.encode() or None))


def _set_attributes(path: str, flags: int, on: int = 0, off: int = 0) -> None:
    assert _LIBC is not None
    attributes = struct.pack("=QQQQ", on, off, 0, 0)
    _checked(
        _LIBC.syscall(
            _MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), flags, attributes, len(attributes)
        )
    )


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:  # noqa: PTH123 - between fork and exec, the less the better
        file.write(text)


def _checked(result: int) -> None:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
