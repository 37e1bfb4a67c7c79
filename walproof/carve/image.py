"""Read a disk image or core dump by ranges; it is never mapped or modified."""

from __future__ import annotations

import errno
import io
import os
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from walproof.carve.model import Window
from walproof.scan.log import open_range

#: Bytes of a window; a find belongs to the window in which it begins.
STRIDE = 4 << 20
#: Bytes of lookahead after a window.
LOOKAHEAD = 64 << 10
PAD = 96
SECTOR = 512
BLOCK = 1 << 18
BLOCKS = 64
ELF_CORE = (b"\x7fELF", 4)


class Image:
    """A file or block device.

    It is read with ``pread``, because truncating a mapped file would crash the reading process.
    Unreadable sectors are replaced by zeros, and ``unreadable`` counts their bytes. ``work`` is the
    :class:`Budget` of all carvers. Raises ``OSError``.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            self.size = os.lseek(self._file, 0, os.SEEK_END)
        except OSError:
            os.close(self._file)
            raise
        self._bad: set[int] = set()
        self.work = Budget()
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._buffer = np.zeros(STRIDE + LOOKAHEAD + PAD, np.uint8)

    def __enter__(self) -> Image:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    @property
    def unreadable(self) -> int:
        """Number of bytes in unreadable sectors."""
        return SECTOR * len(self._bad)

    def is_core(self) -> bool:
        """Return whether the image is an ELF core dump, where logs are not aligned to sectors."""
        head = self.read(0, 20)
        if len(head) < 20 or head[:4] != ELF_CORE[0]:
            return False
        return int.from_bytes(head[16:18], "big" if head[5] == 2 else "little") == ELF_CORE[1]

    def stretches(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Yield the parts of ``[start, stop)`` that are not holes; all of it if holes are
        unknown."""
        at = start
        while at < stop:
            try:
                begin = os.lseek(self._file, at, os.SEEK_DATA)
                end = os.lseek(self._file, begin, os.SEEK_HOLE)
            except (OSError, AttributeError) as error:
                if getattr(error, "errno", None) != errno.ENXIO:  # else only a hole follows
                    yield at, stop
                return
            if begin >= stop:
                return
            at = min(end, stop)
            yield begin, at

    def window(self, base: int, stop: int) -> Window:
        """Return a window; its buffer is reused by the next window."""
        stop = min(stop, base + STRIDE)
        length = min(stop + LOOKAHEAD, self.size) - base
        filled = 0
        with memoryview(self._buffer.data) as buffer:
            while filled < length:
                try:
                    count = os.preadv(self._file, [buffer[filled:length]], base + filled)
                except OSError as error:
                    if error.errno != errno.EIO:
                        raise
                    count = min(SECTOR, length - filled)
                    part = self._sector(base + filled, count)
                    buffer[filled : filled + count] = part
                if not count:
                    break
                filled += count
        self._buffer[filled : filled + PAD] = 0
        return Window(base, min(stop, base + filled), filled, self._buffer)

    def read(self, at: int, length: int) -> bytes:
        """Return the bytes at an offset; fewer at the end of the image, none before its start."""
        length = min(length, self.size - at)
        if length <= 0 or at < 0:
            return b""
        if length > BLOCK:
            return b"".join(
                self.read(start, min(BLOCK, at + length - start))
                for start in range(at, at + length, BLOCK)
            )
        number, offset = divmod(at, BLOCK)
        part = self._block(number)[offset : offset + length]
        if offset + length > BLOCK:
            part += self._block(number + 1)[: offset + length - BLOCK]
        return part

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
        return open_range(self, at, min(end, self.size))

    def _block(self, number: int) -> bytes:
        block = self._cache.pop(number, None)
        if block is None:
            at = number * BLOCK
            try:
                block = os.pread(self._file, BLOCK, at)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                sectors = range(at, min(at + BLOCK, self.size), SECTOR)
                block = b"".join(self._sector(sector, SECTOR) for sector in sectors)
            if len(self._cache) >= BLOCKS:
                self._cache.popitem(last=False)
        self._cache[number] = block
        return block

    def _sector(self, at: int, length: int) -> bytes:
        try:
            return os.pread(self._file, length, at)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            self._bad.add(at // SECTOR)
            return bytes(length)


class Budget:
    """Limit the work on false hits.

    A few bytes may claim that gigabytes follow. The limit is proportional to the bytes processed so
    far, so the total time is linear in the size of the image.
    """

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
