"""Copy a folder with every file, including holes, times and modes."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PIECE_BYTES = 16 << 20


@dataclass(frozen=True)
class NotCopied:
    """A file that was not copied."""

    #: Name relative to the folder.
    name: str
    why: str
    #: False for a socket, pipe or device, which has no content.
    is_lost: bool = True


def size_on_disk(folder: Path) -> int:
    """Return the disk space that the files of a folder use, in bytes."""
    size = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            result = path.stat()
            if stat.S_ISREG(result.st_mode):
                size += min(result.st_size, getattr(result, "st_blocks", 1 << 60) * 512)
    return size


def copy_folder(
    folder: Path, copy: Path, tell: Callable[[int], None] = lambda copied: None
) -> list[NotCopied]:
    """Copy the contents of ``folder`` to the new folder ``copy``; return the files left out.

    Links to files outside the folder are replaced by their targets. ``tell`` receives the number of
    bytes copied so far. Raises ``OSError`` if the copy cannot be written.
    """
    left: list[NotCopied] = []
    copied = 0
    root = folder.resolve()
    copy.mkdir()
    for old, new in _pairs(folder, copy, {_identity(folder)}, left, folder):
        name = old.relative_to(folder).as_posix()
        try:
            if old.is_symlink() and (target := _inside(old, root)) is not None:
                new.symlink_to(target)
                continue
            mode = old.stat().st_mode
            if not stat.S_ISREG(mode):
                left.append(NotCopied(name, "a socket, pipe or device", is_lost=False))
                continue
            source = old.open("rb")
        except FileNotFoundError:
            if old.is_symlink():
                new.symlink_to(old.readlink())
            else:
                left.append(NotCopied(name, "deleted while the folder was copied"))
            continue
        except OSError as error:
            left.append(NotCopied(name, error.strerror or str(error)))
            continue
        with source, new.open("xb") as target_file:
            try:
                for size in _copied(source.fileno(), target_file.fileno()):
                    copied += size
                    tell(copied)
            except _Unreadable as error:
                left.append(NotCopied(name, f"only in part: {error}"))
        _copy_status(old, new)
    return left


def _copy_status(old: Path, new: Path) -> None:
    """Copy times, mode and owner if permitted, and give the owner write permission."""
    result = old.stat()
    with contextlib.suppress(OSError):
        shutil.copystat(old, new)
    with contextlib.suppress(OSError):
        os.chown(new, result.st_uid, result.st_gid)
    with contextlib.suppress(OSError):
        new.chmod(stat.S_IMODE(result.st_mode) | (0o700 if new.is_dir() else 0o600))


class _Unreadable(Exception):
    pass


def _pairs(
    folder: Path, copy: Path, seen: set[tuple[int, int]], left: list[NotCopied], root: Path
) -> Iterator[tuple[Path, Path]]:
    """Create the folders, and yield the files with their new paths."""
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        left.append(NotCopied(folder.relative_to(root).as_posix(), error.strerror or str(error)))
        return
    for entry in entries:
        new = copy / entry.name
        if not entry.is_dir():
            yield entry, new
        elif (identity := _identity(entry)) in seen:
            left.append(NotCopied(entry.relative_to(root).as_posix(), "a link to a folder above"))
        else:
            new.mkdir()
            yield from _pairs(entry, new, {*seen, identity}, left, root)
            _copy_status(entry, new)


def _identity(folder: Path) -> tuple[int, int]:
    result = folder.stat()
    return result.st_dev, result.st_ino


def _inside(link: Path, root: Path) -> str | None:
    """Return the relative path from a link to its target; None for a target outside ``root``."""
    target = link.resolve(strict=True)
    if not target.is_relative_to(root):
        return None
    return os.path.relpath(target, link.parent.resolve())


def _copied(old: int, new: int) -> Iterator[int]:
    size = os.fstat(old).st_size
    os.ftruncate(new, size)
    at = 0
    while at < size:
        try:
            at = os.lseek(old, at, os.SEEK_DATA)
            end = os.lseek(old, at, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole follows
                return
            end = size
        while at < end:
            try:
                piece = os.pread(old, min(_PIECE_BYTES, end - at), at)
            except OSError as error:
                raise _Unreadable(f"{error.strerror} at {at:,}") from None
            if not piece:
                return
            os.pwrite(new, piece, at)
            at += len(piece)
            yield len(piece)
