"""A log as a sequence of bytes that stays in its file."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import TracebackType

_PIECE = 1 << 16


class LogBytes:
    """The bytes of a file, as a sequence.

    ``log[start:end]`` reads from the file and keeps the last piece, so that small slices of one
    place cost one read.

    The file is not mapped: the owner of a live log may cut it at any time, which would kill a
    process that reads a mapping. ``size`` is the length in bytes at opening; a slice is shorter
    if the file has become shorter since. Raises ``OSError``, also if this is not a regular file.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb", buffering=0)
        status = os.fstat(self._file.fileno())
        if not stat.S_ISREG(status.st_mode):
            self._file.close()
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        self.size = status.st_size
        self._at = 0
        self._piece = b""

    def __enter__(self) -> LogBytes:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def __getitem__(self, wanted: slice) -> bytes:
        start, end, _ = wanted.indices(self.size)
        if end <= start:
            return b""
        if not self._at <= start <= end <= self._at + len(self._piece):
            self._at = start
            self._piece = self._read(start, max(end - start, _PIECE))
        return self._piece[start - self._at : end - self._at]

    def data_end(self) -> int:
        """Where the hole at the end of a sparse file begins; its size if there is none."""
        at = 0
        try:
            while at < self.size:
                at = os.lseek(self._file.fileno(), at, os.SEEK_DATA)
                at = os.lseek(self._file.fileno(), at, os.SEEK_HOLE)
        except (OSError, AttributeError) as error:
            # Without data after `at` there is a hole; otherwise nobody tells where holes are.
            return at if getattr(error, "errno", None) == errno.ENXIO else self.size
        return self.size

    def _read(self, start: int, size: int) -> bytes:
        self._file.seek(start)
        parts = []
        while size and (part := self._file.read(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
