"""Where the fixed bytes of formats are in a window: in machine code, or without numba as text."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from walproof.carve.model import Pattern, Window

WIDTH = 16
BLOCK = 64
"""Bytes at which the kernel looks at once."""
MOST = 1 << 16
"""Places that the kernel may note, and those of one block more, before it hands them over."""


class Search:
    """Looks for patterns, of which each must differ from the others.

    :meth:`hits` gives offset in the image and number of each that begins in the part of a window
    that is its own, in order.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self.patterns = patterns
        self._masked = [_padded(one) for one in patterns]
        self._kernel: Any = None
        if patterns and importlib.util.find_spec("numba"):
            from walproof.carve.kernel import matches

            self._kernel = matches
            self._compile()

    def hits(self, window: Window) -> list[tuple[int, int]]:
        """See above. Patterns that begin up to ``back`` bytes later count for the next window."""
        length = window.stop - window.base
        found = self._fast(window, length) if self._kernel else self._slow(window, length)
        pairs = [(window.base + at - self.patterns[p].back, p) for at, p in found]
        return sorted(pair for pair in pairs if pair[0] >= 0)

    def _compile(self) -> None:
        rarest = [_rarest(value, mask) for value, mask in self._masked]
        self._places = np.array(rarest, np.int64).ravel()
        pairs = zip(self._masked, rarest, strict=True)
        letters = [value[at] for (value, _), places in pairs for at in places]
        self._letters = np.array(letters, np.uint8)
        values = b"".join(value for value, _ in self._masked)
        masks = b"".join(mask for _, mask in self._masked)
        self._values = np.frombuffer(values, "<u8").astype(np.uint64)
        self._masks = np.frombuffer(masks, "<u8").astype(np.uint64)
        peeks = [one.peeks for one in self.patterns]
        self._first = np.cumsum([0, *map(len, peeks)]).astype(np.int64)
        self._peeks = np.array([place for places in peeks for place in places], np.int64)
        among = [byte in one.among for one in self.patterns for byte in range(256)]
        self._among = np.array(among, np.uint8)
        room = MOST + BLOCK * len(self.patterns)
        self._at, self._which = np.empty(room, np.int64), np.empty(room, np.int64)

    def _fast(self, window: Window, length: int) -> list[tuple[int, int]]:
        assert self._kernel is not None
        found: list[tuple[int, int]] = []
        go_on = 0
        while go_on < length:
            # A window has 96 bytes of zeros after those that are filled.
            count, go_on = self._kernel(
                window.data, go_on, length, window.size, self._places, self._letters,
                self._masks, self._values, self._first, self._peeks, self._among,
                self._at, self._which,
            )  # fmt: skip
            found += zip(self._at[:count].tolist(), self._which[:count].tolist(), strict=True)
        return found

    def _slow(self, window: Window, length: int) -> list[tuple[int, int]]:
        data = window.data[: window.size + WIDTH].tobytes()
        found = []
        for number, (value, mask) in enumerate(self._masked):
            start, end = _longest_fixed(mask)
            place = data.find(value[start:end])
            while 0 <= place < length + start:
                at = place - start
                here = data[at : at + WIDTH].ljust(WIDTH, b"\0") if at >= 0 else b""
                if (
                    here
                    and all(
                        byte & bits == wanted
                        for byte, bits, wanted in zip(here, mask, value, strict=True)
                    )
                    and self._peeked(window.size, data, at, number)
                ):
                    found.append((at, number))
                place = data.find(value[start:end], place + 1)
        return found

    def _peeked(self, size: int, data: bytes, at: int, number: int) -> bool:
        one = self.patterns[number]
        seen = (data[at + place] for place in one.peeks if at + place < size)
        return not one.peeks or any(byte in one.among for byte in seen)


def _padded(pattern: Pattern) -> tuple[bytes, bytes]:
    mask = (pattern.mask or b"\xff" * len(pattern.value)).ljust(WIDTH, b"\0")
    value = bytes(a & b for a, b in zip(pattern.value.ljust(WIDTH, b"\0"), mask, strict=True))
    return value, mask


def _rarest(value: bytes, mask: bytes) -> tuple[int, int]:
    """Where two bytes are that are fixed in all their bits: large ones, since most are small."""
    fixed = sorted((value[at], at) for at in range(WIDTH) if mask[at] == 0xFF)
    return fixed[-1][1], fixed[-2 if len(fixed) > 1 else -1][1]


def _longest_fixed(mask: bytes) -> tuple[int, int]:
    """The longest run of bytes that are fixed in all their bits."""
    best, start = (0, 0), 0
    for at in range(len(mask) + 1):
        if at == len(mask) or mask[at] != 0xFF:
            best = max(best, (start, at), key=lambda run: run[1] - run[0])
            start = at + 1
    return best
