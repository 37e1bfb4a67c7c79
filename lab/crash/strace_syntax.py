"""The words of a system call as strace prints them, with every text in hexadecimal."""

from __future__ import annotations

import os
import re

LONGEST = 1 << 26
"""Bytes of one write that are shown; a longer one is an error."""
_TEXT = re.compile(rb'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_FD = re.compile(rb"(-?\d+|AT_FDCWD)(?:<((?:\\x[0-9a-f]{2})*)>)?")


class NotUnderstood(Exception):
    """A program did something to its files that cannot be replayed."""


def split(arguments: bytes) -> list[bytes]:
    """Arguments, apart at the commas that are in no bracket. Texts are in hex: they have none."""
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
    """The bytes that are shown."""
    return bytes.fromhex(shown.replace(rb"\x", b"").decode())


def text(word: bytes) -> bytes:
    """The first text of an argument."""
    found = _TEXT.search(word)
    return unhex(found[1]) if found else b""


def texts(word: bytes) -> bytes:
    """The data of a write, of one buffer or several."""
    found = list(_TEXT.finditer(word))
    if any(one[2] for one in found):
        raise NotUnderstood(f"a write of more than {LONGEST} bytes")
    return b"".join(unhex(one[1]) for one in found)


def number(word: bytes) -> int:
    """The number of a descriptor; -1 for the working folder."""
    found = _FD.match(word)
    return int(found[1]) if found and found[1] != b"AT_FDCWD" else -1


def fd_path(word: bytes) -> bytes | None:
    """The path that strace shows for a descriptor; None where the file has no name any more."""
    found = _FD.match(word)
    return unhex(found[2]) if found and found[2] and not word.endswith(b"(deleted)") else None


def path_at(folder: bytes, word: bytes) -> bytes:
    """A path that is relative to the folder of a descriptor."""
    return os.path.join(fd_path(folder) or b"", text(word))  # noqa: PTH118 - bytes
