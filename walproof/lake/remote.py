"""Read remote logs, by byte ranges or from a temporary local copy."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from walproof.lake.discovery import FoundLog
from walproof.lake.options import Options
from walproof.lake.retry import with_retries
from walproof.lake.trees import RemoteTree, is_local, tree_of
from walproof.scan.log import Log, Source

PREFIX = "walproof-fetch"
PIECE = 8 << 20


class TooLarge(OSError):
    """A remote log that exceeds the size limit for copies."""


class RangeSource:
    """A remote file, read by byte ranges."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.size = int(file.size())

    @with_retries
    def read(self, offset: int, length: int) -> bytes:
        """See :class:`~walproof.scan.log.Source`."""
        length = max(0, min(length, self.size - offset))
        return cast(bytes, self._file.read_at(length, offset)) if length else b""

    def close(self) -> None:
        """See :class:`~walproof.scan.log.Source`."""
        self._file.close()


@dataclass(frozen=True)
class RemoteLog(Log):
    """A log reached through ``pyarrow.fs``. :meth:`close` removes its local copy."""

    tree: RemoteTree | None = None
    name: str = ""
    files: Sequence[str] = ()
    size: int = 0
    limit: int = 0
    copies: list[Path] = field(default_factory=list)

    def is_folder(self) -> bool:
        """See :class:`~walproof.scan.log.Log`."""
        return bool(self.files)

    @with_retries
    def open(self) -> Source:
        """See :class:`~walproof.scan.log.Log`."""
        assert self.tree is not None
        return RangeSource(self.tree.file_system.open_input_file(self.tree.inside(self.name)))

    def local(self) -> Path:
        """See :class:`~walproof.scan.log.Log`. Raises :class:`TooLarge`."""
        if not self.copies:
            if self.size > self.limit:
                raise TooLarge(
                    f"{self.name}: expected at most {self.limit} bytes to copy (option"
                    f" maxFetchBytes), found {self.size}"
                )
            sweep()
            self.copies.append(Path(tempfile.mkdtemp(prefix=f"{PREFIX}-{os.getpid()}-")))
            try:
                self._copy()
            except BaseException:
                self.close()
                raise
        return self.copies[0] / self.path.name

    def _copy(self) -> None:
        root = self.copies[0] / self.path.name
        for name in self.files or [""]:
            to = root / name if name else root
            to.parent.mkdir(parents=True, exist_ok=True)
            self._copy_file(f"{self.name.rstrip('/')}/{name}" if name else self.name, to)

    @with_retries
    def _copy_file(self, name: str, to: Path) -> None:
        assert self.tree is not None
        left = self.limit
        with (
            self.tree.file_system.open_input_file(self.tree.inside(name)) as source,
            to.open("wb") as copy,
        ):
            # Copy only up to the current size, because a log may grow.
            size = min(source.size(), left)
            for at in range(0, size, PIECE):
                copy.write(source.read_at(min(PIECE, size - at), at))

    def close(self) -> None:
        """Remove the local copy."""
        while self.copies:
            shutil.rmtree(self.copies.pop(), ignore_errors=True)


def sweep() -> None:
    """Remove copies left by killed workers."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}-*-*"):
        owner = folder.name.removeprefix(f"{PREFIX}-").partition("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists() and Path("/proc/self").exists():
            shutil.rmtree(folder, ignore_errors=True)


def log_of(entry: FoundLog, options: Options, context: dict[str, Any]) -> Log:
    """Return the log in the form that scanners take."""
    if is_local(entry.path):
        return Log(Path(entry.path), context)
    return RemoteLog(
        Path(entry.path.rstrip("/").rpartition("/")[2]),
        context,
        cast(RemoteTree, tree_of(entry.path, dict(options.file_system))),
        entry.path,
        entry.files,
        entry.size,
        options.max_fetch,
    )
