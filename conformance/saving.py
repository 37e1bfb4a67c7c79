"""Writing files so that nothing half ever has the final name, whatever ends the program.

A file is written under a hidden name in the same folder, synced, and renamed. Errors name the file
that could not be written: a full disk is no fault of the log.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import io
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

UNFINISHED = ".unfinished"
"""How the names of files end that were not finished."""
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS})
"""What a file system without hard links says."""


@contextlib.contextmanager
def saved(path: Path, replace: bool = True, sync: bool = True) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when the block ends without an exception.

    Without ``sync`` it is safe from a killed program, not from a power failure: for thousands of
    small files. Raises ``FileExistsError`` if ``replace`` is False and the name is taken by then,
    and ``OSError`` with the name of the file for whatever else cannot be done.
    """
    unfinished = unfinished_beside(path)
    try:
        with named_in_errors(path):
            raw = _File(unfinished, "xb", path)
        with io.BufferedWriter(raw) as file:
            yield file
            file.flush()
            if sync:
                with named_in_errors(path):
                    sync_to_disk(unfinished)
        with named_in_errors(path):
            _take_name(unfinished, path, replace)
            if sync:
                sync_to_disk(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


class _File(io.FileIO):
    """A file whose errors name it: only its own, not those of what its writer reads meanwhile."""

    def __init__(self, unfinished: Path, mode: str, path: Path) -> None:
        super().__init__(unfinished, mode)
        self.path = path

    def write(self, data: Any) -> int:
        with named_in_errors(self.path):
            return super().write(data)


def save(path: Path, data: bytes | str, replace: bool = True, sync: bool = True) -> None:
    """Write a whole file at once as :func:`saved` does; text as UTF-8."""
    with saved(path, replace, sync) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def publish(made: Path, path: Path) -> None:
    """Give a finished file or folder its name, which nothing may have. ``made`` is a neighbour.

    Everything below is synced first. Raises ``FileExistsError``, and ``OSError`` with ``path``.
    """
    with named_in_errors(path):
        if not made.is_dir():
            sync_to_disk(made)
            _take_name(made, path, replace=False)
            sync_to_disk(path.parent)
            return
        for inner in sorted(made.rglob("*"), reverse=True):
            sync_to_disk(inner)
        sync_to_disk(made)
        if path.exists() or path.is_symlink():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        made.rename(path)
        sync_to_disk(path.parent)


def replace_folder(made: Path, path: Path) -> None:
    """Give a finished folder the name of one that is there, which is removed. Both are neighbours.

    At no moment is there none, where Linux can exchange two names. Raises ``OSError``.
    """
    with named_in_errors(path):
        if _exchanged(made, path):
            old = made
        else:
            old = unfinished_beside(path)
            path.rename(old)
            made.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Whether two names were exchanged, all at once; not every system and file system can."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    names = os.fsencode(one.absolute()), os.fsencode(other.absolute())
    if rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0:
        return True
    error = ctypes.get_errno()
    if error in (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP):
        return False
    raise OSError(error, os.strerror(error), str(other))


def is_unfinished(path: Path) -> bool:
    """Whether a name is one of those that who was killed leaves behind."""
    return path.name.startswith(".") and path.name.endswith(UNFINISHED)


@contextlib.contextmanager
def made_beside(path: Path) -> Iterator[Path]:
    """A name in the same folder for a file or folder, until :func:`publish` gives it its own.

    What still has it when the block ends is removed.
    """
    made = unfinished_beside(path)
    try:
        yield made
    finally:
        if made.is_dir():
            shutil.rmtree(made, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):  # what went wrong before is what is told
                made.unlink()


@contextlib.contextmanager
def made_once(folder: Path) -> Iterator[Path]:
    """Make a folder that appears whole or not at all, also when several processes make it at once.

    The first one to end gives it the name; what the others made is removed.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with made_beside(folder) as unfinished:
        unfinished.mkdir()
        yield unfinished
        try:
            unfinished.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process was faster
                raise


def unfinished_beside(path: Path) -> Path:
    """A name in the same folder that nothing has: rename works within one file system only."""
    return path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}{UNFINISHED}")


@contextlib.contextmanager
def named_in_errors(path: Path) -> Iterator[None]:
    """Errors of the block name ``path``: those of a write name nothing, others the hidden name."""
    try:
        yield
    except OSError as error:
        # The second name is where a copy goes, or the new one.
        if error.filename is not None and UNFINISHED not in f"{error.filename} {error.filename2}":
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _take_name(unfinished: Path, path: Path, replace: bool) -> None:
    if not replace:
        try:
            os.link(unfinished, path)  # unlike rename, it does not replace
            unfinished.unlink()
            return
        except OSError as error:
            if error.errno not in _NO_LINKS or os.path.lexists(path):
                raise
    unfinished.replace(path)


def sync_to_disk(path: Path) -> None:
    """Sync a file, or the names in a folder, to the disk. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EROFS):  # not there for folders everywhere
            raise
    finally:
        os.close(descriptor)
