"""Write files atomically: an incomplete file never has the final name, even after a crash.

Errors contain the path of the file that could not be written.
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

# The suffix of unfinished files.
UNFINISHED = ".unfinished"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h
# A file system without hard links returns one of these errors.
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS})


@contextlib.contextmanager
def saved(path: Path, replace: bool = True, sync: bool = True) -> Iterator[BinaryIO]:
    """Open a file that gets its name when the block ends without an exception.

    If ``sync`` is false, the file survives a killed program but not a power failure. Raises
    ``FileExistsError`` if the name exists and ``replace`` is false. Any other ``OSError`` contains
    the name of the file.
    """
    unfinished = temporary_name(path)
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
        _remove(unfinished)


class _File(io.FileIO):
    """A file whose own write errors contain its final path."""

    def __init__(self, unfinished: Path, mode: str, path: Path) -> None:
        super().__init__(unfinished, mode)
        self.path = path

    def write(self, data: Any) -> int:
        with named_in_errors(self.path):
            return super().write(data)


def save(path: Path, data: bytes | str, replace: bool = True, sync: bool = True) -> None:
    """Write a whole file atomically. Text is encoded as UTF-8."""
    with saved(path, replace, sync) as file:
        file.write(data.encode("utf-8") if isinstance(data, str) else data)


def publish(finished: Path, path: Path) -> None:
    """Rename a finished file or directory in the same directory to a new name.

    Raises ``FileExistsError``, and ``OSError`` with ``path``.
    """
    with named_in_errors(path):
        if not finished.is_dir():
            sync_to_disk(finished)
            _take_name(finished, path, replace=False)
            sync_to_disk(path.parent)
            return
        for inner in sorted(finished.rglob("*"), reverse=True):
            if not inner.is_symlink():  # the target of a symbolic link may not exist
                sync_to_disk(inner)
        sync_to_disk(finished)
        if path.exists() or path.is_symlink():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        finished.rename(path)
        sync_to_disk(path.parent)


def replace_folder(finished: Path, path: Path) -> None:
    """Replace a directory with a finished directory in the same parent, and remove the old one.

    Raises ``OSError``.
    """
    with named_in_errors(path):
        if _exchanged(finished, path):
            old = finished
        else:
            old = temporary_name(path)
            path.rename(old)
            finished.rename(path)
    shutil.rmtree(old, ignore_errors=True)


def _exchanged(first: Path, second: Path) -> bool:
    """Exchange two names atomically; return False if the system cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    names = os.fsencode(first.absolute()), os.fsencode(second.absolute())
    if rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0:
        return True
    error = ctypes.get_errno()
    if error in (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP):
        return False
    raise OSError(error, os.strerror(error), str(second))


def is_unfinished(path: Path) -> bool:
    """Return whether the name is a temporary file left by a killed process."""
    return path.name.startswith(".") and path.name.endswith(UNFINISHED)


@contextlib.contextmanager
def temporary_sibling(path: Path) -> Iterator[Path]:
    """Yield a hidden name in the same directory, for a file that :func:`publish` renames."""
    temporary = temporary_name(path)
    try:
        yield temporary
    finally:
        _remove(temporary)


def _remove(temporary: Path) -> None:
    """Remove a file or directory, even if a signal interrupts the first attempt."""
    try:
        _remove_once(temporary)
    finally:
        _remove_once(temporary)


def _remove_once(temporary: Path) -> None:
    with contextlib.suppress(OSError):  # report the earlier error
        if temporary.is_dir():
            for directory, _, _ in os.walk(temporary):  # a copy may be read-only
                Path(directory).chmod(0o700)
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            temporary.unlink()


@contextlib.contextmanager
def build_once(folder: Path) -> Iterator[Path]:
    """Create a directory atomically, even if several processes create it at once."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_sibling(folder) as unfinished:
        unfinished.mkdir()
        yield unfinished
        try:
            unfinished.rename(folder)
        except OSError:
            if not folder.is_dir():  # if it is a directory, another process created it first
                raise


def temporary_name(path: Path) -> Path:
    """Return an unused name in the same directory, since rename needs one file system."""
    return path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}{UNFINISHED}")


@contextlib.contextmanager
def named_in_errors(path: Path) -> Iterator[None]:
    """Add ``path`` to the block's errors if they name no file or only the temporary file."""
    try:
        yield
    except OSError as error:
        # After a failed copy or rename, ``filename2`` is the target.
        if error.filename is not None and UNFINISHED not in f"{error.filename} {error.filename2}":
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _take_name(unfinished: Path, path: Path, replace: bool) -> None:
    if not replace:
        try:
            os.link(unfinished, path)  # unlike rename, link does not replace an existing file
            unfinished.unlink()
            return
        except OSError as error:
            if error.errno not in _NO_LINKS or os.path.lexists(path):
                raise
    unfinished.replace(path)


def sync_to_disk(path: Path) -> None:
    """Sync a file, or the entries of a directory, to the disk. Raises ``OSError``."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems cannot sync directories.
        if error.errno not in (errno.EINVAL, errno.EROFS):
            raise
    finally:
        os.close(descriptor)
