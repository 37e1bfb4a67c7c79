"""Decompress and check payloads once each, and cache them while there is room."""

from __future__ import annotations

from array import array
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from reference_impl.systemd_journal.compression import BadCompression, TooLarge, decompress
from reference_impl.systemd_journal.export_format import is_text
from reference_impl.systemd_journal.layout import HEADER_FLAG_OF, OBJECT_COMPRESSED
from reference_impl.systemd_journal.objects import FIELD_NAME, budget
from walproof.formats.systemd_journal.scanner import constants
from walproof.formats.systemd_journal.scanner.hashing import hash_whole

#: Maximum bytes of cached payloads; other payloads are decompressed again for output.
CACHE_BYTES = 64 << 20

Keys = tuple[np.uint64, np.uint64, np.uint64]


class Packed:
    """The compressed DATA objects of a file.

    ``limit`` is the largest field in bytes (SDJ-031).
    """

    def __init__(
        self, data: NDArray[np.uint8], facts: NDArray[np.int64], keys: Keys, limit: int
    ) -> None:
        self.data = data
        self.fixed = int(facts[constants.DATA_FIXED])
        self.flags = int(facts[constants.INCOMPATIBLE])
        self.keys = keys
        self.limit = limit
        self._spent = 0
        self._offsets, self._lengths = array("q"), array("q")
        self._cache: OrderedDict[int, bytes] = OrderedDict()
        self._held = 0

    def answer(self, at: int) -> tuple[int, bytes]:
        """Return the fault code of the payload of a DATA, and the payload if it is valid."""
        try:
            # Thousands of compression bombs must not cost more than this (SDJ-103).
            left = max(0, budget(at, self.limit) - self._spent)
            plain = self._decompress(at, min(self.limit, left))
        except BadCompression as error:
            self._spent += error.spent
            is_large = isinstance(error, TooLarge)
            return constants.TOO_LARGE if is_large else constants.BAD_COMPRESSION, b""
        self._spent += len(plain)
        stored = int.from_bytes(self.data[at + 16 : at + 24].tobytes(), "little")
        if int(hash_whole(np.frombuffer(plain, np.uint8), self.keys)) != stored:
            return constants.HASH_MISMATCH, b""
        name, equals, _ = plain.partition(b"=")
        if not equals or not FIELD_NAME.fullmatch(name):
            return constants.BAD_FIELD, b""
        self._offsets.append(at)
        self._lengths.append(len(plain))
        self._remember(at, plain)
        flag = int(self.data[at + 1]) & OBJECT_COMPRESSED
        return constants.SOUND if self.flags & HEADER_FLAG_OF[flag] else constants.HIDDEN, plain

    def is_text(self, plain: bytes) -> bool:
        """Return whether a payload can be written as a single line."""
        return is_text(plain)

    def lengths(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the lengths in bytes of valid payloads, by the offsets of their DATA."""
        if not len(offsets):
            return np.empty(0, np.int64)
        known, first = np.unique(np.frombuffer(self._offsets, np.int64), return_index=True)
        of_known = np.frombuffer(self._lengths, np.int64)[first]
        return of_known[np.searchsorted(known, offsets)]

    def plain(self, at: int) -> bytes:
        """Return a payload that was checked before."""
        if (cached := self._cache.get(at)) is not None:
            return cached
        plain = self._decompress(at, self.limit)
        self._remember(at, plain)
        return plain

    def _decompress(self, at: int, limit: int) -> bytes:
        size = int.from_bytes(self.data[at + 8 : at + 16].tobytes(), "little")
        stored = self.data[at + self.fixed : at + size].tobytes()
        return decompress(stored, int(self.data[at + 1]) & OBJECT_COMPRESSED, limit)

    def _remember(self, at: int, plain: bytes) -> None:
        if at in self._cache:
            return
        self._cache[at] = plain
        self._held += len(plain)
        while self._held > CACHE_BYTES:
            _, oldest = self._cache.popitem(last=False)
            self._held -= len(oldest)
