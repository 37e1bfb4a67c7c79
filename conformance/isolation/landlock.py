"""Landlock: a process of Linux gives up rights to files, TCP and signals, for good.

It takes no privilege. See ``landlock(7)``; the names are those of ``linux/landlock.h``. What is
handled is forbidden wherever no rule allows it, and a rule on a folder holds for all that is below.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

LEAST = 2
"""Of ABI 1 nothing is made use of: below it no file can be moved to another folder."""
CUTS, TCP, DEVICES, SIGNALS = 3, 4, 5, 6
"""The ABI from which on files cannot be cut, TCP, devices and signals are covered."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_VERSION = 1
_PR_SET_NO_NEW_PRIVS = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_TO_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL_DEV
"""The rights that a rule on what is no folder may have."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def abi() -> int:
    """The version that this kernel has; 0 for none, or for one too old to be of use."""
    if _LIBC is None:
        return 0
    found = int(_LIBC.syscall(_CREATE_RULESET, None, 0, _VERSION))
    return found if found >= LEAST else 0


def ruleset(
    abi: int, reads: Iterable[Path] | None, hides: Iterable[Path], writes: Iterable[Path], tcp: bool
) -> int:
    """The file descriptor of a set of rules, for :func:`restrict`.

    ``reads`` may be read and run, with all that is below; None stands for everything that is not
    below ``hides``. There names can still be listed, since Python would not find modules beside a
    folder that is hidden. ``writes`` may be read and changed. Without ``tcp`` no port of TCP can
    be used, as far as ``abi`` covers it. Raises ``OSError``.
    """
    assert _LIBC is not None
    every = (1 << (13 + (abi >= LEAST) + (abi >= CUTS))) - 1
    every |= _IOCTL_DEV if abi >= DEVICES else 0
    attributes = [every]
    if abi >= TCP:
        attributes.append(0 if tcp else 0b11)  # bind, connect
    if abi >= SIGNALS:
        attributes.append(0b11)  # abstract Unix sockets, signals
    packed = struct.pack(f"={len(attributes)}Q", *attributes)
    rules = _checked(_LIBC.syscall(_CREATE_RULESET, packed, len(packed), 0))
    look = EXECUTE | READ_FILE | READ_DIR
    hidden = [path.resolve() for path in hides]
    if reads is not None:
        for path in reads:
            _allow(rules, path, look & every)
    elif hidden:
        _allow(rules, Path("/"), READ_DIR)
        for path in beside(hidden):
            _allow(rules, path, look & every)
    else:
        _allow(rules, Path("/"), look & every)
    for name in _DEVICES:
        _allow(
            rules, Path("/dev") / name, (READ_FILE | WRITE_FILE | _TRUNCATE | _IOCTL_DEV) & every
        )
    for path in writes:
        _allow(rules, path, every & ~_IOCTL_DEV)
    return rules


def restrict(rules: int) -> None:
    """Give up all that a set of rules does not allow; what this process starts inherits it."""
    assert _LIBC is not None
    _checked(_LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(_LIBC.syscall(_RESTRICT_SELF, rules, 0))


def beside(hidden: list[Path]) -> Iterator[Path]:
    """Everything but the hidden places, in as few places as there can be.

    Links are left out: what they lead to has a place of its own, or is hidden.
    """
    above = {folder for path in hidden for folder in path.parents}
    for folder in sorted(above):
        with contextlib.suppress(OSError):
            for path in folder.iterdir():
                if path not in above and path not in hidden and not path.is_symlink():
                    yield path


def _allow(rules: int, path: Path, rights: int) -> None:
    """A rule; what is not there, or cannot be looked at, needs none."""
    assert _LIBC is not None
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _TO_FILES
        rule = struct.pack("=Qi", rights, place)
        _checked(_LIBC.syscall(_ADD_RULE, rules, _RULE_PATH_BENEATH, rule, 0))
    finally:
        os.close(place)


def _checked(result: int) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return int(result)
