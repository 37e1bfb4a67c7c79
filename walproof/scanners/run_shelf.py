"""Store runs of records in a scratch file, and compare them with the runs of another log."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import overload

from reference_impl.answer import Record
from walproof.scanners.answers import records
from walproof.scanners.model import Records
from walproof.spool import Shelf


class RunShelf(Sequence[Record]):
    """The records of a log, stored as runs."""

    def __init__(self, format_id: str) -> None:
        self.format_id = format_id
        self.runs: Shelf[Records] = Shelf()
        # The list contains the number of each run's first record, and finally the number of all
        # records.
        self._starts = [0]

    def append(self, run: Records) -> None:
        """Append a run. Raises ``ValueError`` if a payload is truncated."""
        if run.truncated is not None:
            raise ValueError("a record is too long to be copied")
        self.runs.append(run)
        self._starts.append(len(self) + len(run))

    def __len__(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[Record]:
        for run in self.runs:
            for piece in run.pieces():
                yield from records(self.format_id, piece)

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | Sequence[Record]:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        number = range(len(self))[at]
        (run,) = self.between(number, number + 1)
        return next(records(self.format_id, run))

    def between(self, start: int, stop: int) -> Iterator[Records]:
        """Yield the records ``[start, stop)``, or fewer at the end, in runs."""
        number = bisect_right(self._starts, start) - 1
        while start < min(stop, len(self)):
            first, end = self._starts[number], min(stop, self._starts[number + 1])
            yield self.runs[number].slice(start - first, end - first)
            start, number = end, number + 1

    def differing(self, start: int, run: Records) -> Iterator[tuple[int, Record, Record]]:
        """Compare the records from number ``start`` on with a run from another log.

        For each stored run that differs, yield the number and both versions of each of its records.
        """
        at = 0
        for mine in self.between(start, start + len(run)):
            theirs = run.slice(at, at + len(mine))
            if mine.payload != theirs.payload or mine.fields != theirs.fields:
                both = [records(self.format_id, each) for each in (mine, theirs)]
                for number, (old, new) in enumerate(zip(*both, strict=True), start + at):
                    yield number, old, new
            at += len(mine)
