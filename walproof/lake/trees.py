"""Access local folders and ``pyarrow.fs`` file systems through one interface."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from reference_impl import formats
from walproof.lake.file_tree import Entry, Tree
from walproof.lake.recognition import recognise_log
from walproof.lake.retry import with_retries

#: Maximum number of bytes that a recogniser reads from the start of a file.
HEAD = 1 << 17
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+)://?")
S3 = ("s3", "s3a", "s3n")
#: Maximum number of attempts to send a request to an object store. The first retry follows after 25
#: ms.
S3_TRIES = 7


class NoFileSystem(OSError):
    """Raised if the file system cannot be reached. The message gives the reason."""


class LocalTree:
    """Local folders. Reads are retried after transient errors.

    Without ``follows_links``, each symbolic link in a folder becomes an entry with a fault.
    """

    def __init__(self, follows_links: bool = True) -> None:
        self._follows_links = follows_links

    @with_retries
    def entry(self, path: str) -> Entry:
        """See :class:`Tree`."""
        return _entry(path, Path(path).stat(), Path(path).is_symlink())

    @with_retries
    def entries(self, folder: str) -> Sequence[Entry]:
        """See :class:`Tree`."""
        results = []
        with os.scandir(folder) as scan:
            listed = sorted(scan, key=lambda entry: entry.name)
        for each in listed:
            path = f"{folder.rstrip('/')}/{each.name}"
            try:
                # The listing shows which entries are links. Another system call is not necessary.
                results.append(_entry(path, *_status(each, self._follows_links)))
            except OSError as error:  # For example, a link is broken or a file was deleted.
                results.append(Entry(path, fault=error))
        return results

    @with_retries
    def is_a(self, format_id: str, file: Entry) -> bool:
        """See :class:`Tree`."""
        return formats.named(format_id).recognise(Path(file.path))

    @with_retries
    def detect(self, path: str) -> str:
        """See :class:`Tree`."""
        return recognise_log(Path(path))

    @with_retries
    def read(self, path: str, offset: int, length: int) -> bytes:
        """See :class:`Tree`."""
        with Path(path).open("rb") as file:
            file.seek(offset)
            return file.read(length)


@with_retries
def _status(entry: os.DirEntry[str], follows_links: bool) -> tuple[os.stat_result, bool]:
    return entry.stat(follow_symlinks=follows_links), entry.is_symlink()


def _entry(path: str, status: os.stat_result, is_link: bool) -> Entry:
    folder = stat.S_ISDIR(status.st_mode)
    fault = None
    if not folder and not stat.S_ISREG(status.st_mode):
        # Opening a pipe would block until a writer opens it.
        fault = OSError(f"[not a file] neither a file nor a folder: '{path}'")
    size = 0 if folder else status.st_size
    inode = (status.st_dev, status.st_ino)
    return Entry(path, folder, size, status.st_mtime, fault, inode, is_link)


class RemoteTree:
    """Folders reached through ``pyarrow.fs``. All paths have the same scheme as ``uri``."""

    def __init__(self, uri: str, options: Mapping[str, str]) -> None:
        from pyarrow import fs

        self._fs = fs
        match = _SCHEME.match(uri)
        assert match is not None
        scheme = match[1].lower()
        try:
            if scheme in S3:
                # Wait longer after each retry, up to 3 s in total. By default, Arrow allows about a
                # hundred retries during the lifetime of a file system object, and then treats every
                # error of the store as final.
                strategy = fs.AwsDefaultS3RetryStrategy(max_attempts=S3_TRIES)
                self.file_system = fs.S3FileSystem(**_typed(options), retry_strategy=strategy)
                self._prefix = f"{match[1]}://"
            else:
                self.file_system, inside = fs.FileSystem.from_uri(uri)
                # The path for pyarrow contains a bucket, but no host.
                is_host = inside.startswith("/")
                self._prefix = uri.removesuffix(inside) if is_host else f"{match[1]}://"
        except (ImportError, NotImplementedError, TypeError, ValueError, OSError) as error:
            raise NoFileSystem(f"{uri}: cannot reach this file system: {error}") from error

    def _inside(self, path: str) -> str:
        """Return a path in the form that the file system expects."""
        return path.removeprefix(self._prefix).rstrip("/")

    def open(self, path: str) -> Any:
        """Open a file for random access. Raises ``OSError``."""
        return self.file_system.open_input_file(self._inside(path))

    def _entry(self, info: Any) -> Entry:
        folder = info.type == self._fs.FileType.Directory
        when = info.mtime.timestamp() if info.mtime is not None else 0.0
        return Entry(self._prefix + info.path, folder, info.size or 0, when)

    @with_retries
    def entry(self, path: str) -> Entry:
        """See :class:`Tree`."""
        info = self.file_system.get_file_info([self._inside(path)])[0]
        if info.type == self._fs.FileType.NotFound:
            raise FileNotFoundError(f"no such file or folder: '{path}'")
        return self._entry(info)

    @with_retries
    def entries(self, folder: str) -> Sequence[Entry]:
        """See :class:`Tree`."""
        selector = self._fs.FileSelector(self._inside(folder))
        result = self.file_system.get_file_info(selector)
        return sorted((self._entry(info) for info in result), key=lambda entry: entry.path)

    @with_retries
    def is_a(self, format_id: str, file: Entry) -> bool:
        """See :class:`Tree`."""
        with tempfile.TemporaryDirectory() as folder:
            return formats.named(format_id).recognise(self._head(file.path, folder))

    @with_retries
    def detect(self, path: str) -> str:
        """See :class:`Tree`."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                return recognise_log(self._head(path, folder))
            except formats.UnknownFormat as error:
                text = str(error).replace(f"{folder}/{Entry(path).name}", path)
                raise formats.UnknownFormat(text, error.fitting) from None

    def _head(self, path: str, folder: str) -> Path:
        """Copy the first bytes of a file to a local file of the same name, for recognisers."""
        copy = Path(folder, Entry(path).name)
        copy.write_bytes(self.read(path, 0, HEAD))
        return copy

    @with_retries
    def read(self, path: str, offset: int, length: int) -> bytes:
        """See :class:`Tree`."""
        with self.open(path) as file:
            size = file.size()
            if offset >= size:
                return b""
            return cast(bytes, file.read_at(min(length, size - offset), offset))


def _typed(options: Mapping[str, str]) -> dict[str, Any]:
    """Convert constructor arguments from text to booleans, numbers or text."""
    return {
        name: {"true": True, "false": False}.get(
            value.lower(), int(value) if value.isdecimal() and len(value) < 10 else value
        )
        for name, value in options.items()
    }


def absolute(path: str) -> str:
    """Return an absolute path in the form that tables show. Local paths have no scheme."""
    match = _SCHEME.match(path)
    if match is not None and match[1].lower() != "file":
        return path
    if path.lower().startswith("file:"):
        path = "/" + path[5:].lstrip("/")
    return os.path.abspath(path)  # noqa: PTH100 -- links stay what they are


def is_local(path: str) -> bool:
    """Return whether an absolute path is local."""
    return path.startswith("/")


def tree_of(path: str, options: Mapping[str, str]) -> Tree:
    """Return the tree of an absolute path. Raises :class:`NoFileSystem`."""
    if is_local(path):
        return LocalTree()
    scheme, _, rest = path.partition("://")
    return _remote(f"{scheme}://{rest.partition('/')[0]}/", tuple(sorted(options.items())))


@lru_cache(maxsize=16)
def _remote(root: str, options: tuple[tuple[str, str], ...]) -> RemoteTree:
    """Return the tree of a remote path. Trees are cached, because they hold connections."""
    return RemoteTree(root, dict(options))
