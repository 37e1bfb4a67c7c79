"""Count the scanner's runs of records; decode only the first and the last record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from reference_impl.formats import Context
from walproof import decode
from walproof.scan import scanner_for
from walproof.scan.log import Log
from walproof.scan.model import Event, Records, Wanted
from walproof.summary.model import (
    MOST_BYTES,
    Shown,
    Summary,
    plain_text,
    wider,
)

#: Largest number of bytes decoded of a payload, or of each value of an entry.
LONGEST = 1 << 16
#: Column → the range of a summary that its lowest and highest value extend.
_SPANS = {"realtime": "times", "index": "indexes"}


def events(format_id: str, path: Path, context: Context, size: int) -> Iterator[Event]:
    """Yield the scanner's events for a log of ``size`` bytes. ``OSError``, ``ValueError``."""
    return scanner_for(format_id, size).scan(Log(path, context), Wanted(max_payload=LONGEST))


class OfRuns:
    """Counts runs; stores one row of the first and one of the last."""

    def __init__(self, format_id: str) -> None:
        self.format_id = format_id
        self._last: Records | None = None

    def take(self, summary: Summary, run: Records) -> None:
        """Count a run of records."""
        if not len(run):
            return
        summary.records += len(run)
        summary.framed_bytes += int(run.size.sum())
        if summary.first is None:
            summary.first = self._shown(_row(run, 0))
        self._last = run
        for column, name in _SPANS.items():
            values = run.fields.get(column)
            if values is None or values.null_count == len(values):
                continue
            low, high = _limits(values)
            setattr(summary, name, wider(getattr(summary, name), low, high))
            if column == "index":
                summary.with_index += len(values) - values.null_count

    def finish(self, summary: Summary) -> None:
        """Show the last record."""
        if self._last is not None:
            summary.last = self._shown(_row(self._last, len(self._last) - 1))

    def _shown(self, row: Records) -> Shown:
        at, size = int(row.at[0]), int(row.size[0])
        (values, faults) = decode.decoded(self.format_id, row)
        (value,), (fault,) = values.to_pylist(), faults.to_pylist()
        if value is not None:
            return Shown(at, size, row.file, decode.phrase(self.format_id, value, _fields(row)))
        payload = row.payload[0].as_py() if row.payload is not None else b""
        text = str(_fields(row).get("update") or _start(row, payload))
        return Shown(at, size, row.file, f"{text}  ({fault})" if fault else text)


def _limits(values: pa.Array) -> tuple[int, int]:
    """Return the lowest and the highest of numbers, of which at least one is not null."""
    if not values.null_count:
        numbers = values.to_numpy()
        return int(numbers.min()), int(numbers.max())
    # Importing pyarrow.compute takes longer than reading a small log.
    import pyarrow.compute as pc

    result = pc.min_max(values)
    return result["min"].as_py(), result["max"].as_py()


def _start(row: Records, payload: bytes) -> str:
    """Return a payload without a meaning as text; a truncated one without its size."""
    if row.truncated is None:
        return plain_text(payload)
    return f"{plain_text(payload[:MOST_BYTES])}… (more than {len(payload):,} bytes)"


def _fields(row: Records) -> dict[str, object]:
    results = {name: column[0].as_py() for name, column in row.fields.items()}
    return {name: value for name, value in results.items() if value is not None}


def _row(run: Records, n: int) -> Records:
    """Copy one record of ``run``, so that the run can be freed."""
    return replace(
        run,
        at=run.at[n : n + 1].copy(),
        size=run.size[n : n + 1].copy(),
        payload=None if run.payload is None else _value(run.payload, n),
        fields={name: _value(column, n) for name, column in run.fields.items()},
        truncated=None if run.truncated is None else run.truncated[n : n + 1].copy(),
    )


def _value(column: pa.Array, n: int) -> pa.Array:
    """Copy one value of a column; ``take`` would import pyarrow.compute."""
    return pa.array([column[n].as_py()], column.type)
