"""Open pipes, compressed files and archives as local logs.

Readers need random access, so other input is copied to a scratch folder.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import stat
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

import lz4.frame  # type: ignore[import-untyped,unused-ignore]
import zstandard

#: Largest number of bytes unpacked or copied from a pipe.
MOST = 64 << 30
#: Number of bytes needed to recognise a compressed file.
HEAD = 512
PIECE = 1 << 16
_CALLED = "standard-input"


class CannotUnpack(ValueError):
    """The input cannot be unpacked or copied; the message names the input and the reason.

    Examples are a broken archive, an archive that is too large, a socket, and a terminal.
    """


@dataclass(frozen=True)
class Unpacked:
    """A readable log, or a folder of logs."""

    path: Path
    #: Path as typed.
    typed: str
    #: How the log was opened: ``("gzip",)``, ``("pipe",)``, or empty if it is read directly.
    how: tuple[str, ...] = ()
    #: Faults in compressed files; the content before each fault was unpacked.
    faults: tuple[str, ...] = ()

    @property
    def is_copy(self) -> bool:
        """Return whether ``path`` is a scratch copy."""
        return bool(self.how)

    @property
    def origin(self) -> str:
        """The way in which the log was opened, to follow its name: ``, unpacked from gzip``."""
        packed = [kind for kind in self.how if kind != "pipe"]
        message = ", read from a pipe" if "pipe" in self.how else ""
        return f"{message}, unpacked from {' in '.join(reversed(packed))}" if packed else message


@contextlib.contextmanager
def unpacked(typed: str, most: int = MOST) -> Iterator[Unpacked]:
    """Open ``typed``, and remove copies at the end. ``-`` is standard input.

    Raises ``OSError``, and :class:`CannotUnpack`.
    """
    with tempfile.TemporaryDirectory(prefix="walproof-") as name:
        scratch = Path(name)
        how: list[str] = []
        faults: list[str] = []
        path = Path(typed)
        if typed == "-" or not _is_sought(path):
            how.append("pipe")
            copy = scratch / "0" / (_CALLED if typed == "-" else path.name)
            with _piped(typed) as pipe:
                _copy(pipe, copy, most, typed)
            path = copy
        while path.is_file() and (kind := packing(path)) is not None:
            if len(how) > 4:
                raise CannotUnpack(f"{typed}: {', '.join(how)}: too many layers of compression")
            how.append(kind)
            folder = scratch / str(len(how))
            try:
                path = _unpack(path, kind, folder, most, typed)
            except _BROKEN as error:
                faults.append(f"{kind}: {str(error).strip() or type(error).__name__}")
                path = _what_came_out(folder, f"{typed}: {faults[-1]}")
        yield Unpacked(path, typed, tuple(how), tuple(faults))


def _is_sought(path: Path) -> bool:
    kind = path.stat().st_mode
    if stat.S_ISSOCK(kind):
        raise CannotUnpack(f"{path}: expected a log, found a socket")
    if stat.S_ISCHR(kind) and not path.samefile(os.devnull):
        raise CannotUnpack(
            f"{path}: expected a log, found a character device; copy the data to a file first"
        )
    return stat.S_ISREG(kind) or stat.S_ISDIR(kind) or stat.S_ISBLK(kind)


@contextlib.contextmanager
def _piped(typed: str) -> Iterator[BinaryIO]:
    if typed == "-":
        if sys.stdin.isatty():
            raise CannotUnpack("standard input is a terminal: expected a log")
        yield sys.stdin.buffer
        return
    with Path(typed).open("rb") as pipe:  # blocks until a writer opens the pipe
        yield pipe


class _ZstdFrames:
    """The content of ZSTD frames. Unlike the library's class, it detects truncation."""

    #: Number of compressed bytes per step; they expand to at most 32 MiB.
    FED = 1 << 10

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self._frame: Any = None

    def __enter__(self) -> _ZstdFrames:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read(self, size: int) -> bytes:
        """Return some content. Raises ``EOFError`` and ``ZstdError``."""
        fed = b""
        while True:
            fed = fed or self.file.read(self.FED)
            if not fed:
                if self._frame is not None:
                    raise EOFError("the last frame is cut")
                return b""
            self._frame = self._frame or zstandard.ZstdDecompressor().decompressobj()
            result = self._frame.decompress(fed)
            fed = b""
            if self._frame.eof:
                if rest := self._frame.unused_data:
                    self.file.seek(-len(rest), os.SEEK_CUR)
                self._frame = None
            if result:
                return cast(bytes, result)


_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b\x08", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
)
_OPENED: dict[str, Callable[[BinaryIO], BinaryIO]] = {
    "gzip": lambda file: cast(BinaryIO, gzip.GzipFile(fileobj=file)),
    "bzip2": lambda file: cast(BinaryIO, bz2.BZ2File(file)),
    "xz": lambda file: cast(BinaryIO, lzma.LZMAFile(file)),  # noqa: SIM115
    "zstd": lambda file: cast(BinaryIO, _ZstdFrames(file)),
    "lz4": lambda file: cast(BinaryIO, lz4.frame.LZ4FrameFile(file)),
}
_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd", ".lz4")
_BROKEN = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
    RuntimeError,  # lz4, and a zip member with a password
    tarfile.TarError,
    zipfile.BadZipFile,
    NotImplementedError,  # a zip compression that Python does not support
)


def packing(path: Path) -> str | None:
    """Return the compression or archive type of a file. Raises ``OSError``."""
    with path.open("rb") as file:
        return packing_of(file.read(HEAD))


def packing_of(head: bytes) -> str | None:
    """Return the compression or archive type, given the first :data:`HEAD` bytes of a file."""
    for signature, kind in _SIGNATURES:
        if head.startswith(signature):
            return kind
    if head[257:262] != b"ustar":
        return None
    try:  # A log may contain "ustar" at this offset too; only a tar header has a valid checksum.
        tarfile.TarInfo.frombuf(head, tarfile.ENCODING, "surrogateescape")
    except tarfile.HeaderError:
        return None
    return "tar"


def _unpack(path: Path, kind: str, folder: Path, most: int, typed: str) -> Path:
    if kind == "zip":
        with zipfile.ZipFile(path) as archive:
            files = [each for each in archive.infolist() if not each.is_dir()]
            opened = ((each.filename, partial(archive.open, each)) for each in files)
            return _members(opened, folder, most, typed)
    if kind == "tar":
        with tarfile.open(path) as archive:
            regular = (each for each in archive if each.isreg())
            return _members(
                ((each.name, partial(archive.extractfile, each)) for each in regular),
                folder,
                most,
                typed,
            )
    copy = folder / name_inside(path)
    with path.open("rb") as file, _OPENED[kind](file) as content:
        _copy(content, copy, most, typed)
    return copy


def name_inside(path: Path) -> str:
    """Return the name of the content of a compressed file, derived from its own name."""
    name = path.name
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    return name or _CALLED


def _what_came_out(folder: Path, fault: str) -> Path:
    files = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
    if not files:
        raise CannotUnpack(fault)
    return files[0] if len(files) == 1 else folder


def _members(
    members: Iterable[tuple[str, Callable[[], Any]]], folder: Path, most: int, typed: str
) -> Path:
    """Extract the files of an archive to ``folder``; skip links and devices."""
    created: list[Path] = []
    for name, opened in members:
        parts = PurePosixPath(name).parts
        if not parts or parts[0] == "/" or ".." in parts:
            raise CannotUnpack(f"{typed}: member {name!r} points outside of the archive")
        path = folder.joinpath(*parts)
        with opened() as content:
            most -= _copy(content, path, most, typed)
        created.append(path)
    folder.mkdir(parents=True, exist_ok=True)
    return created[0] if len(created) == 1 else folder


def _some(content: Any) -> bytes:
    """Return some bytes. ``read`` would drop the last bytes before a fault in a compressed file."""
    read = getattr(content, "read1", content.read)
    return cast(bytes, read(PIECE))


def _copy(content: BinaryIO, path: Path, most: int, typed: str) -> int:
    """Copy to a new file and return its size. Zeros become holes, which take no space."""
    path.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with path.open("xb") as copy:
        try:
            while piece := _some(content):
                size += len(piece)
                if size > most:
                    raise CannotUnpack(
                        f"{typed}: expected at most {most} bytes unpacked, found more;"
                        " unpack it yourself on a larger disk"
                    )
                if piece.count(0) == len(piece):
                    copy.seek(len(piece), os.SEEK_CUR)
                else:
                    copy.write(piece)
        finally:
            copy.truncate(size)
    return size
