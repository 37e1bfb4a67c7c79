"""Run a program, and pause its calls in :data:`CALLS` until a listener lets them continue.

``python syscall_pause.py SOCKET PROGRAM [ARGUMENT]...`` sends the notification descriptor to the
listener at SOCKET. Child processes and threads of the program inherit the filter.
"""

# This script imports only the standard library, because it runs without the modules of this
# project.
from __future__ import annotations

import ctypes
import os
import platform
import socket
import struct
import sys

#: Calls that change or sync files, with their numbers on x86_64 and on aarch64.
CALLS = {
    "write": (1, 64), "writev": (20, 66), "pwrite64": (18, 68), "pwritev": (296, 70),
    "pwritev2": (328, 287), "copy_file_range": (326, 285), "sendfile": (40, 71),
    "splice": (275, 76), "open": (2, None), "openat": (257, 56), "openat2": (437, 437),
    "creat": (85, None), "fsync": (74, 82), "fdatasync": (75, 83), "sync": (162, 81),
    "syncfs": (306, 267), "msync": (26, 227), "ftruncate": (77, 46), "truncate": (76, 45),
    "fallocate": (285, 47), "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None),
    "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276), "link": (86, None),
    "linkat": (265, 37), "unlink": (87, None), "unlinkat": (263, 35),
    "io_uring_enter": (426, 426),
}  # fmt: skip
#: Calls that wait for the disk.
SYNCS = ("fsync", "fdatasync", "sync", "syncfs", "msync")
#: Each machine has the index of its numbers in :data:`CALLS`, the architecture code for the filter,
#: and the number of the call ``seccomp``.
MACHINES = {"x86_64": (0, 0xC000003E, 317), "aarch64": (1, 0xC00000B7, 277)}
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
#: Offsets in ``struct seccomp_data``.
_NUMBER, _ARCHITECTURE = 0, 4
_NOTIFY, _ALLOW = 0x7FC00000, 0x7FFF0000
_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8


class _Program(ctypes.Structure):
    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def names_by_number(machine: str) -> dict[int, str]:
    """Map the numbers of :data:`CALLS` on a machine to names. An unknown machine has none."""
    if machine not in MACHINES:
        return {}
    column = MACHINES[machine][0]
    return {number: name for name, both in CALLS.items() if (number := both[column]) is not None}


def instructions(machine: str) -> bytes:
    """Return the filter, which pauses only the calls in :data:`CALLS`."""
    architecture, numbers = MACHINES[machine][1], names_by_number(machine)
    steps = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 0, len(numbers) + 1, architecture)]
    steps.append((_LOAD, 0, 0, _NUMBER))
    steps += [(_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOTIFY)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def listener() -> int:
    """Install the filter in this process; return its descriptor. Raises ``OSError``."""
    machine = platform.machine()
    if machine not in MACHINES:
        raise OSError(f"the numbers of its calls are not known on {machine}")
    libc = ctypes.CDLL(None, use_errno=True)
    # Without root, a process may install a filter only after giving up the right to gain
    # privileges.
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    code = instructions(machine)
    program = _Program(len(code) // 8, code)
    call = ctypes.c_long(MACHINES[machine][2])
    result = libc.syscall(call, _SET_MODE_FILTER, _NEW_LISTENER, ctypes.byref(program))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(result)


def main(place: str, *words: str) -> None:
    """Send the notification descriptor to the listener, and execute the program."""
    with socket.socket(socket.AF_UNIX) as to:
        to.connect(place)
        try:
            descriptor = listener()
        except OSError as error:
            to.sendall(str(error).encode())
            sys.exit(f"its calls cannot be stopped: {error}")
        socket.send_fds(to, [b"\0"], [descriptor])
    os.close(descriptor)
    os.execvp(words[0], words)


if __name__ == "__main__":
    main(*sys.argv[1:])
