"""Count the runs of records that a bulk scanner returns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa

from reference_impl.formats import Context
from walproof import decode
from walproof.scan import scanner
from walproof.scan.log import Log
from walproof.scan.model import Event, Records, Wanted
from walproof.summary.model import Summary, wider
from walproof.summary.records import LONGEST, Counted

#: Column → the range of a summary that its lowest and highest value extend.
_SPANS = {"realtime": "times", "index": "indexes"}


def events(format_id: str, path: Path, context: Context) -> Iterator[Event]:
    """Yield the scanner's events for a log. Raises ``OSError`` and ``ValueError``."""
    return scanner(format_id).scan(Log(path, context), Wanted(max_payload=LONGEST))


class CountedRuns(Counted):
    """A counter of the records in runs."""

    def take(self, summary: Summary, run: Records) -> int:
        """See :class:`Counted`."""
        if not len(run):
            return 0
        summary.records += len(run)
        summary.framed_bytes += int(run.size.sum())
        if summary.first is None:
            self._keep_row(summary, run, 0)
        self._keep_row(summary, run, len(run) - 1)
        for column, name in _SPANS.items():
            values = run.fields.get(column)
            if values is None or values.null_count == len(values):
                continue
            setattr(summary, name, wider(getattr(summary, name), *_limits(values)))
            if column == "index":
                summary.with_index += len(values) - values.null_count
        return int(run.at[-1] + run.size[-1])

    def _keep_row(self, summary: Summary, run: Records, n: int) -> None:
        (row,) = decode.rows(run.slice(n, n + 1), run.fields)  # a copy, so that the run is freed
        place = int(run.at[n]), int(run.size[n]), run.file
        self.keep(summary, partial(self.shown, *place, row))


def _limits(values: pa.Array) -> tuple[int, int]:
    if not values.null_count:
        numbers = values.to_numpy()
        return int(numbers.min()), int(numbers.max())
    import pyarrow.compute as pc

    result = pc.min_max(values)
    return result["min"].as_py(), result["max"].as_py()
