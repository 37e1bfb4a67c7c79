"""Read remote logs, by byte ranges or from a temporary local copy."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from walproof.lake.discovery import FoundLog
from walproof.lake.options import Options
from walproof.lake.retry import with_retries
from walproof.lake.trees import RemoteTree, tree_of
from walproof.log import Log
from walproof.scanners.byte_source import ByteSource

PREFIX = "walproof-fetch"
COPIED_BYTES = 8 << 20


class TooLarge(OSError):
    """Raised for a remote log that exceeds the size limit for copies."""


class RangeSource:
    """A remote file, read by byte ranges."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.size = int(file.size())

    @with_retries
    def read(self, offset: int, length: int) -> bytes:
        """See :class:`~walproof.scanners.byte_source.ByteSource`."""
        length = max(0, min(length, self.size - offset))
        return cast(bytes, self._file.read_at(length, offset)) if length else b""

    def close(self) -> None:
        """See :class:`~walproof.scanners.byte_source.ByteSource`."""
        self._file.close()


class RemoteLog(Log):
    """A log that is reached through ``pyarrow.fs``.

    ``path`` is only its file name. Code that needs a local file copies the log.
    """

    def __init__(
        self, format: str, found: FoundLog, context: Mapping[str, Any], options: Options
    ) -> None:
        super().__init__(format, Path(found.name), context=context)
        tree = tree_of(found.path, dict(options.file_system))
        assert isinstance(tree, RemoteTree)
        self.found, self.tree, self.limit = found, tree, options.max_fetch

    def is_folder(self) -> bool:
        """See :class:`~walproof.log.Log`."""
        return bool(self.found.members)

    @with_retries
    def byte_source(self) -> ByteSource:
        """See :class:`~walproof.log.Log`."""
        return RangeSource(self.tree.open(self.found.path))

    @cached_property
    def readable(self) -> Path:
        """A local copy. Raises :class:`TooLarge`."""
        if self.found.size > self.limit:
            raise TooLarge(
                f"{self.found.path}: expected at most {self.limit} bytes to copy (option"
                f" maxFetchBytes), found {self.found.size}"
            )
        sweep()
        folder = tempfile.TemporaryDirectory(prefix=f"{PREFIX}-{os.getpid()}-")
        root = Path(self._scratch.enter_context(folder), self.path.name)
        for file in self.found.members or (self.found,):
            to = Path(f"{root}{file.path.removeprefix(self.found.path.rstrip('/'))}")
            to.parent.mkdir(parents=True, exist_ok=True)
            self._copy_file(file.path, to)
        return root

    @with_retries
    def _copy_file(self, path: str, to: Path) -> None:
        with self.tree.open(path) as source, to.open("wb") as copy:
            # Copy only up to the current size, because a log may grow.
            size = min(source.size(), self.limit)
            for at in range(0, size, COPIED_BYTES):
                copy.write(source.read_at(min(COPIED_BYTES, size - at), at))


def sweep() -> None:
    """Remove copies that killed workers left behind."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}-*-*"):
        owner = folder.name.removeprefix(f"{PREFIX}-").partition("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists() and Path("/proc/self").exists():
            shutil.rmtree(folder, ignore_errors=True)
