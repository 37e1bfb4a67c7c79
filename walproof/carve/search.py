"""Where the fixed bytes of formats are in a window: in machine code, or without numba as text."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

import numpy as np

from walproof.carve.model import Pattern, Window

WIDTH = 16
ONES, HALF = 0x0101010101010101, 0x80
MOST = 1 << 16
"""Places that the kernel notes before it hands them over."""


class Search:
    """Looks for patterns, of which each must differ from the others.

    :meth:`hits` gives offset in the image and number of each that begins in the part of a window
    that is its own, in order.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self.patterns = patterns
        self._masked = [_padded(one) for one in patterns]
        self._kernel = None
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
        by_trigger: list[list[int]] = [[] for _ in range(256)]
        for number, (value, _) in enumerate(self._masked):
            by_trigger[value[self.patterns[number].trigger]].append(number)
        self._order = [number for numbers in by_trigger for number in numbers]
        self._first = np.cumsum([0, *map(len, by_trigger)]).astype(np.int64)
        largest = sorted(byte for byte in range(256) if by_trigger[byte])
        # The kernel skips what is no trigger fastest where all but one are small.
        self._letters = np.uint64(largest[-1] * ONES)
        small = largest[-2] if len(largest) > 1 else largest[-1]
        if small >= HALF:
            raise ValueError(f"two triggers are {HALF:#x} or more: {small:#x}, {largest[-1]:#x}")
        self._limits = np.uint64((small + 1) * ONES)
        self._is_trigger = np.array([bool(numbers) for numbers in by_trigger], np.uint8)
        order = self._order
        self._trigger = np.array([self.patterns[one].trigger for one in order], np.int64)
        values = b"".join(self._masked[one][0] for one in order)
        masks = b"".join(self._masked[one][1] for one in order)
        self._values = np.frombuffer(values, "<u8").astype(np.uint64)
        self._masks = np.frombuffer(masks, "<u8").astype(np.uint64)
        self._at, self._which = np.empty(MOST, np.int64), np.empty(MOST, np.int64)

    def _fast(self, window: Window, length: int) -> list[tuple[int, int]]:
        assert self._kernel is not None
        found: list[tuple[int, int]] = []
        go_on = 0
        while go_on < length + WIDTH:
            # A window has 32 bytes of zeros after those that are filled.
            count, go_on = self._kernel(
                window.data, go_on, 0, length, self._is_trigger, self._limits,
                self._letters, self._first, self._trigger, self._masks, self._values,
                self._at, self._which,
            )  # fmt: skip
            places = zip(self._at[:count].tolist(), self._which[:count].tolist(), strict=True)
            found += [(at, self._order[p]) for at, p in places]
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
                if here and all(
                    byte & bits == wanted
                    for byte, bits, wanted in zip(here, mask, value, strict=True)
                ):
                    found.append((at, number))
                place = data.find(value[start:end], place + 1)
        return found


def _padded(pattern: Pattern) -> tuple[bytes, bytes]:
    mask = (pattern.mask or b"\xff" * len(pattern.value)).ljust(WIDTH, b"\0")
    value = bytes(a & b for a, b in zip(pattern.value.ljust(WIDTH, b"\0"), mask, strict=True))
    return value, mask


def _longest_fixed(mask: bytes) -> tuple[int, int]:
    """The longest run of bytes that are fixed in all their bits."""
    best, start = (0, 0), 0
    for at in range(len(mask) + 1):
        if at == len(mask) or mask[at] != 0xFF:
            best = max(best, (start, at), key=lambda run: run[1] - run[0])
            start = at + 1
    return best
