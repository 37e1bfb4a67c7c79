"""Search for the fixed bytes of formats in a window: with numba, or with ``bytes.find``."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from walproof.carve.model import Pattern, Window

WIDTH = 16
#: Number of bytes that the kernel compares at once.
BLOCK = 64
#: Number of hits, besides those of one block, that the kernel stores before it returns.
MAX_HITS = 1 << 16


class Search:
    """Search for patterns, which must all be different.

    :meth:`hits` returns the offset in the image and the number of each pattern that begins in a
    window before its lookahead, in order.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self.patterns = patterns
        self._masked = [_padded(pattern) for pattern in patterns]
        self._kernel: Any = None
        if patterns and importlib.util.find_spec("numba"):
            from walproof.carve.kernel import matches

            self._kernel = matches
            self._compile()

    def hits(self, window: Window) -> list[tuple[int, int]]:
        """Return the hits of a window; a pattern that begins later belongs to the next window."""
        length = window.stop - window.base
        matches = (
            self._search_compiled(window, length)
            if self._kernel
            else self._search_bytes(window, length)
        )
        pairs = [(window.base + at - self.patterns[p].back, p) for at, p in matches]
        return sorted(pair for pair in pairs if pair[0] >= 0)

    def _compile(self) -> None:
        rarest = [_rarest(value, mask) for value, mask in self._masked]
        self._offsets = np.array(rarest, np.int64).ravel()
        pairs = zip(self._masked, rarest, strict=True)
        letters = [value[at] for (value, _), offsets in pairs for at in offsets]
        self._letters = np.array(letters, np.uint8)
        values = b"".join(value for value, _ in self._masked)
        masks = b"".join(mask for _, mask in self._masked)
        self._values = np.frombuffer(values, "<u8").astype(np.uint64)
        self._masks = np.frombuffer(masks, "<u8").astype(np.uint64)
        peeks = [pattern.peeks for pattern in self.patterns]
        self._first = np.cumsum([0, *map(len, peeks)]).astype(np.int64)
        self._peeks = np.array([offset for offsets in peeks for offset in offsets], np.int64)
        among = [byte in pattern.among for pattern in self.patterns for byte in range(256)]
        self._among = np.array(among, np.uint8)
        room = MAX_HITS + BLOCK * len(self.patterns)
        self._at, self._numbers = np.empty(room, np.int64), np.empty(room, np.int64)

    def _search_compiled(self, window: Window, length: int) -> list[tuple[int, int]]:
        assert self._kernel is not None
        matches: list[tuple[int, int]] = []
        start = 0
        while start < length:
            # A window has 96 zeros after its filled bytes.
            count, start = self._kernel(
                window.data, start, length, window.size, self._offsets, self._letters,
                self._masks, self._values, self._first, self._peeks, self._among,
                self._at, self._numbers,
            )  # fmt: skip
            matches += zip(self._at[:count].tolist(), self._numbers[:count].tolist(), strict=True)
        return matches

    def _search_bytes(self, window: Window, length: int) -> list[tuple[int, int]]:
        data = window.data[: window.size + WIDTH].tobytes()
        matches = []
        for number, (value, mask) in enumerate(self._masked):
            start, end = _longest_fixed(mask)
            offset = data.find(value[start:end])
            while 0 <= offset < length + start:
                at = offset - start
                candidate = data[at : at + WIDTH].ljust(WIDTH, b"\0") if at >= 0 else b""
                if (
                    candidate
                    and all(
                        byte & bits == expected
                        for byte, bits, expected in zip(candidate, mask, value, strict=True)
                    )
                    and self._matches_peeks(window.size, data, at, number)
                ):
                    matches.append((at, number))
                offset = data.find(value[start:end], offset + 1)
        return matches

    def _matches_peeks(self, size: int, data: bytes, at: int, number: int) -> bool:
        pattern = self.patterns[number]
        peeked = (data[at + offset] for offset in pattern.peeks if at + offset < size)
        return not pattern.peeks or any(byte in pattern.among for byte in peeked)


def _padded(pattern: Pattern) -> tuple[bytes, bytes]:
    mask = (pattern.mask or b"\xff" * len(pattern.value)).ljust(WIDTH, b"\0")
    value = bytes(a & b for a, b in zip(pattern.value.ljust(WIDTH, b"\0"), mask, strict=True))
    return value, mask


def _rarest(value: bytes, mask: bytes) -> tuple[int, int]:
    """Return the offsets of two completely fixed bytes: large ones, since most bytes are small."""
    fixed = sorted((value[at], at) for at in range(WIDTH) if mask[at] == 0xFF)
    return fixed[-1][1], fixed[-2 if len(fixed) > 1 else -1][1]


def _longest_fixed(mask: bytes) -> tuple[int, int]:
    """Return start and end of the longest run of completely fixed bytes."""
    best, start = (0, 0), 0
    for at in range(len(mask) + 1):
        if at == len(mask) or mask[at] != 0xFF:
            best = max(best, (start, at), key=lambda run: run[1] - run[0])
            start = at + 1
    return best
