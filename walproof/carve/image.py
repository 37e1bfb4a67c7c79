"""Read ranges of a disk image or core dump, without mapping or modifying the file."""

from __future__ import annotations

import errno
import functools
import io
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from walproof.carve.model import Window
from walproof.scan.log import open_range

#: Bytes of a window; a find belongs to the window in which it begins.
STRIDE = 4 << 20
#: Bytes of lookahead after a window.
LOOKAHEAD = 64 << 10
#: Number of bytes read at a time from a find; most finds are short.
IMAGE_BUFFER_BYTES = 8 << 10
PAD = 96
SECTOR = 512
BLOCK = 1 << 18
BLOCKS = 64
ELF_CORE = (b"\x7fELF", 4)


class Image:
    """A file or block device, with zeros in place of unreadable sectors.

    ``work`` is the :class:`Budget` of all carvers. Raises ``OSError``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # Truncating a mapped file would crash the reading process, so the file is read with pread.
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.size = os.lseek(self._file, 0, os.SEEK_END)
        except OSError:
            os.close(self._file)
            raise
        self._bad: set[int] = set()
        self.work = Budget()
        self._block = functools.lru_cache(BLOCKS)(
            lambda number: bytes(self._read(number * BLOCK, BLOCK))
        )

    def __enter__(self) -> Image:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    @property
    def unreadable(self) -> int:
        """Return the number of bytes in unreadable sectors."""
        return SECTOR * len(self._bad)

    def is_core(self) -> bool:
        """Return whether the image is an ELF core dump, where logs are not aligned to sectors."""
        head = self.read(0, 20)
        if len(head) < 20 or head[:4] != ELF_CORE[0]:
            return False
        return int.from_bytes(head[16:18], "big" if head[5] == 2 else "little") == ELF_CORE[1]

    def stretches(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of ``[start, stop)`` that are not holes, if the system reports holes."""
        at = start
        while at < stop:
            try:
                begin = os.lseek(self._file, at, os.SEEK_DATA)
                end = os.lseek(self._file, begin, os.SEEK_HOLE)
            except (OSError, AttributeError) as error:
                if getattr(error, "errno", None) != errno.ENXIO:  # ENXIO: only a hole follows
                    yield at, stop
                return
            if begin >= stop:
                return
            at = min(end, stop)
            yield begin, at

    def window(self, base: int, stop: int) -> Window:
        """Return the window that begins at ``base``."""
        stop = min(stop, base + STRIDE)
        data = self._read(base, min(stop + LOOKAHEAD, self.size) - base)
        padded = np.frombuffer(data + bytes(PAD), np.uint8)
        return Window(base, min(stop, base + len(data)), len(data), padded)

    def read(self, at: int, length: int) -> bytes:
        """Return the bytes at an offset; fewer at the end of the image, none before its start."""
        length = min(length, self.size - at)
        if length <= 0 or at < 0:
            return b""
        first, skipped = divmod(at, BLOCK)
        if skipped + length <= BLOCK:
            return self._block(first)[skipped : skipped + length]
        blocks = map(self._block, range(first, (at + length - 1) // BLOCK + 1))
        return b"".join(blocks)[skipped : skipped + length]

    def find(self, pattern: bytes, start: int, stop: int) -> int | None:
        """Return the first offset in ``[start, stop)`` of these bytes; None if they are absent."""
        at = start
        while at < stop:
            piece = self.read(at, min(4 * BLOCK, stop - at) + len(pattern) - 1)
            offset = piece.find(pattern)
            if offset >= 0:
                return at + offset
            at += 4 * BLOCK
        return None

    def stream(self, at: int, end: int) -> io.BufferedIOBase:
        """Return ``[at, end)`` as a file object."""
        return open_range(self, at, min(end, self.size), IMAGE_BUFFER_BYTES)

    def _read(self, at: int, length: int) -> bytearray:
        """Read without the cache; the bytes of unreadable sectors are zeros."""
        data = bytearray()
        while len(data) < length:
            where, left = at + len(data), length - len(data)
            try:
                piece = os.pread(self._file, left, where)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                piece = self._read_sector(where, min(SECTOR - where % SECTOR, left))
            if not piece:
                break
            data += piece
        return data

    def _read_sector(self, at: int, length: int) -> bytes:
        try:
            return os.pread(self._file, length, at)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            self._bad.add(at // SECTOR)
            return bytes(length)


class Budget:
    """A limit for the work on false hits, in proportion to the bytes processed so far."""

    # A false header of a few bytes may claim gigabytes, but the total time must stay linear.
    FREE = 64 << 20
    SHARE = 4

    def __init__(self) -> None:
        self.passed = 0
        self.spent = 0

    def allows(self, count: int) -> bool:
        """Return whether ``count`` more bytes may be spent."""
        return self.spent + count <= self.FREE + self.SHARE * self.passed

    def spend(self, count: int) -> None:
        """Add ``count`` bytes to the work spent."""
        self.spent += count
