"""Define the interface of scanners: selected output, runs of records, and parts of a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End, Lost, Record
from walproof.scanners.byte_source import ByteSource

#: A run of records ends at MAX_ROWS rows or at MAX_BYTES bytes of payload, whichever comes first.
MAX_ROWS = 65_536
MAX_BYTES = 4 << 20
#: Number of rows to expand to single records at a time.
PIECE_ROWS = 16_384
#: Maximum size of a payload column in bytes.
LONGEST = 2**31 - 1


@dataclass(frozen=True)
class Wanted:
    """Selects the output of a scan. If ``columns`` is None, all fields are selected.

    Payloads, and values in journal entries, are truncated to ``max_payload`` bytes.
    ``Records.truncated`` marks records that were truncated.
    """

    payload: bool = True
    columns: frozenset[str] | None = None
    max_payload: int = 1 << 30

    @property
    def cap(self) -> int:
        """Return the maximum number of payload bytes that a kernel stores.

        If payloads are not selected, the number is negative.
        """
        return min(self.max_payload, LONGEST) if self.payload else -1

    def wants(self, column: str) -> bool:
        """Return whether a column is selected."""
        return self.columns is None or column in self.columns


@dataclass(frozen=True)
class Part:
    """A part of a log that can be scanned separately. Instances can be pickled.

    ``[start, end)`` is a range of byte offsets in ``file``, which is None if the log is one file.
    ``state`` is the state of the format's scanner at ``start``.
    """

    start: int = 0
    end: int | None = None
    file: str | None = None
    state: Any = None


WHOLE = Part()


@dataclass(frozen=True, slots=True)
class Records:
    """Consecutive records in one file, as columns. Such a group is called a run.

    ``at`` and ``size`` are in bytes. ``payload`` is a binary array, or None if payloads were not
    selected. ``truncated`` is None if no record was truncated. ``fields`` contains the selected
    columns.
    """

    at: NDArray[np.int64]
    size: NDArray[np.int64]
    payload: pa.Array | None
    fields: Mapping[str, pa.Array] = field(default_factory=dict)
    file: str | None = None
    truncated: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.at)

    def slice(self, start: int, stop: int) -> Records:
        """Return the records ``[start, stop)`` without copying."""
        return replace(
            self,
            at=self.at[start:stop],
            size=self.size[start:stop],
            payload=None if self.payload is None else self.payload[start:stop],
            fields={name: column[start:stop] for name, column in self.fields.items()},
            truncated=None if self.truncated is None else self.truncated[start:stop],
        )

    def pieces(self, rows: int = PIECE_ROWS) -> Iterator[Records]:
        """Yield the records in pieces of at most ``rows`` records."""
        if len(self) <= rows:
            yield self
            return
        for start in range(0, len(self), rows):
            yield self.slice(start, start + rows)


Event = Records | Lost | End


class ReadableLog(Protocol):
    """The part of :class:`walproof.Log` that scanners, recovery and tables use.

    These modules cannot import :mod:`walproof.log`, because it imports them.
    """

    format: str
    name: str
    path: Path
    context: dict[str, Any]

    @property
    def readable(self) -> Path:
        """The path for readers to open."""

    @property
    def is_read_by_scanner(self) -> bool:
        """True if the log is large, and a scanner can read it. Raises ``OSError``."""

    def is_folder(self) -> bool:
        """Return whether the log consists of several files."""

    def byte_source(self) -> ByteSource:
        """Open a log of one file. Raises ``OSError``."""

    def at(self, path: Path, context: Mapping[str, Any]) -> ReadableLog:
        """Return a log of the same format at another path."""

    def events(self) -> Iterator[Record | Lost | End]:
        """Yield records and lost ranges, then one ``End``."""

    def columns(self) -> Iterator[Event]:
        """Yield the same events, with records in columns."""


class Scanner(Protocol):
    """The interface of a scanner."""

    def plan(self, log: ReadableLog, target_bytes: int) -> Sequence[Part]:
        """Return parts of about ``target_bytes`` that can be scanned separately, in log order.

        The result is ``[WHOLE]`` if the log cannot be split. Raises ``OSError``.
        """

    def scan(self, log: ReadableLog, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """Yield the events of a part. Only ``WHOLE`` yields an ``End``. Raises ``OSError``.

        Together, all parts yield exactly the records and lost ranges of the log.
        """
