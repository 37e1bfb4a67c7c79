"""Faults of a file as rows of an array, as many as are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.systemd_journal.objects import KEPT_FAULTS
from walproof.scan.systemd_journal import words
from walproof.scan.systemd_journal.words import FAR

Numbers = NDArray[np.int64]


class Kept:
    """As many faults as are kept of a file of ``size`` bytes; the others become one (SDJ-093)."""

    def __init__(self, size: int) -> None:
        self.room = KEPT_FAULTS + size // 64
        self._kept: list[Numbers] = []
        self._rest: list[tuple[int, int]] = []

    def add(self, rows: Numbers) -> None:
        """Keep what was found, as far as there is room. ``rows`` may be part of a larger array."""
        self._kept.append(rows[: self.room].copy())
        if len(rest := rows[self.room :]):
            self._rest.append((int(rest[:, 0].min()), int(rest[:, 1].max())))
        self.room -= len(self._kept[-1])

    def kept(self) -> Numbers:
        """The faults that are kept as they are."""
        return np.concatenate(self._kept)

    def all(self) -> Numbers:
        """All faults, those that are not kept as one."""
        if self._rest:
            starts, ends = zip(*self._rest, strict=True)
            rest = (min(starts), max(ends), words.REST, 0)
            self._kept.append(np.array([rest], np.int64))
        return self.kept()


def rows_of(faults: Any) -> Numbers:
    """Faults as rows of start, end, reason and object, in numbers that an array holds."""
    return np.array([(*row[:3], min(row[3], FAR)) for row in faults], np.int64).reshape(-1, 4)
