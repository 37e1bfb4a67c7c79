"""Copy a directory byte for byte, including holes, modes, owners and times; copy links as links."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from walproof.unread_file import UnreadFile, special_file

_PIECE_BYTES = 16 << 20


def copy_directory(source: Path, target: Path) -> list[UnreadFile]:
    """Copy the contents of a directory to a new directory.

    Return the files that were not copied. Only the owner can access the new directories until
    :func:`copy_directory_status` is called. Raises ``OSError`` if the copy cannot be written.
    """
    unread: list[UnreadFile] = []
    copied: dict[tuple[int, int], Path] = {}
    directories = [Path()]
    for directory in directories:
        (target / directory).mkdir(0o700)
        try:
            with os.scandir(source / directory) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            unread.append(UnreadFile(str(directory), error.strerror or str(error), is_error=True))
            continue
        for entry in entries:
            name = directory / entry.name
            if entry.is_dir(follow_symlinks=False):
                directories.append(name)
            elif (reason := _copy_file(source / name, target / name, copied)) is not None:
                unread.append(UnreadFile(str(name), *reason))
    return unread


def _copy_file(
    old: Path, new: Path, copied: dict[tuple[int, int], Path]
) -> tuple[str, bool] | None:
    """Copy a file or link. On failure, return the reason, and whether it is an error.

    ``copied`` maps each file that has several hard links to its copy.
    """
    try:
        status = old.lstat()
        if stat.S_ISLNK(status.st_mode):
            target = old.readlink()
        elif not stat.S_ISREG(status.st_mode):
            return f"{special_file(old)}", False
        elif (identity := (status.st_dev, status.st_ino)) in copied:
            new.hardlink_to(copied[identity])
            return None
        else:
            descriptor = os.open(old, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        return error.strerror or str(error), True
    reason = None
    if stat.S_ISLNK(status.st_mode):
        new.symlink_to(target)
    else:
        if status.st_nlink > 1:
            copied[identity] = new
        try:
            reason = _copy_data(descriptor, new)
        finally:
            os.close(descriptor)
    copy_status(old, new)
    return None if reason is None else (reason, True)


def _copy_data(old: int, new: Path) -> str | None:
    """Copy the data of an open file to a new file, preserving holes.

    If the file becomes unreadable, return the reason.
    """
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
        size = os.fstat(old).st_size
        for start, end in _data_ranges(old, size):
            target.seek(start)
            while start < end:
                try:
                    piece = os.pread(old, min(_PIECE_BYTES, end - start), start)
                except OSError as error:
                    target.truncate(size)
                    return f"only in part: {error.strerror} at {start:,}"
                if not piece:
                    return None
                target.write(piece)
                start += len(piece)
        target.truncate(size)
    return None


def _data_ranges(file: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of a file that are not holes."""
    at = 0
    while at < size:
        try:
            start = os.lseek(file, at, os.SEEK_DATA)
            at = os.lseek(file, start, os.SEEK_HOLE)
        except OSError as error:
            if error.errno != errno.ENXIO:  # ENXIO: only a hole follows
                yield at, size
            return
        yield start, min(at, size)


def copy_directory_status(source: Path, target: Path) -> None:
    """Copy the status of each directory, after the last change to its contents."""
    for directory, _, _ in os.walk(target, topdown=False):
        copy_status(source / Path(directory).relative_to(target), Path(directory))


def copy_status(old: Path, new: Path) -> None:
    """Copy the owner, mode and times of a file, directory or link, as far as permitted."""
    copy_owner_and_mode(old, new)
    with contextlib.suppress(OSError):
        shutil.copystat(old, new, follow_symlinks=False)


def copy_owner_and_mode(old: Path, new: Path) -> None:
    """Copy the owner and the mode of a file, directory or link, as far as permitted."""
    with contextlib.suppress(OSError):
        status = old.lstat()
        with contextlib.suppress(OSError):
            os.chown(new, status.st_uid, status.st_gid, follow_symlinks=False)
        if not new.is_symlink():
            new.chmod(stat.S_IMODE(status.st_mode))
