"""The bytes of a log as a sequence, without loading the file."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from types import TracebackType

_PIECE = 1 << 16


class LogBytes:
    """The bytes of a file, as a sequence that is read on demand.

    If the file is truncated later, slices are shorter. Raises ``OSError``.
    """

    def __init__(self, path: Path) -> None:
        # The file is not mapped: a process that reads a mapping crashes if the file is truncated.
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
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def __getitem__(self, piece: slice) -> bytes:
        start, end, _ = piece.indices(self.size)
        if end <= start:
            return b""
        if not self._at <= start <= end <= self._at + len(self._piece):
            self._at = start
            self._piece = self._read(start, max(end - start, _PIECE))
        return self._piece[start - self._at : end - self._at]

    def ends(self, start: int, end: int, most: int) -> bytes:
        """Return the bytes of a range; if it is long, only ``most`` bytes, half from each end."""
        if end - start <= most:
            return self[start:end]
        return self[start : start + most // 2] + self[end - most // 2 : end]

    def data_end(self) -> int:
        """Return the start of the hole at the end of a sparse file; the size if there is none."""
        at = 0
        try:
            while at < self.size:
                at = os.lseek(self._file.fileno(), at, os.SEEK_DATA)
                at = os.lseek(self._file.fileno(), at, os.SEEK_HOLE)
        except (OSError, AttributeError) as error:
            # ENXIO means a hole after `at`; other errors mean that holes are not supported.
            return at if getattr(error, "errno", None) == errno.ENXIO else self.size
        return self.size

    def _read(self, start: int, size: int) -> bytes:
        self._file.seek(start)
        parts = []
        while size and (part := self._file.read(size)):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
