"""What scanners take and give: columns, runs of records, parts of a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reference_impl.answer import End, Lost
from walproof.scan.log import Log

MAX_ROWS = 65_536
MAX_BYTES = 4 << 20
"""A run of records is cut at this many rows or bytes of payload, whichever comes first."""
PIECE_ROWS = 16_384
"""Rows of a run that are gone through at a time where more is made of each than a scanner makes."""
LONGEST = 2**31 - 1
"""Bytes that a column of payloads can hold."""


@dataclass(frozen=True)
class Wanted:
    """What the caller needs: payloads are most of the work.

    ``columns`` names the fields that are looked at; None means all. ``max_payload`` caps the
    payload in bytes, and each value among the fields of a journal entry: what is longer is cut, and
    its record marked in ``Records.truncated``. With ``dictionaries`` a column may come in the type
    ``Column.with_dictionaries``.
    """

    payload: bool = True
    columns: frozenset[str] | None = None
    max_payload: int = 1 << 30
    dictionaries: bool = False

    @property
    def cap(self) -> int:
        """How many bytes of a payload a kernel keeps; negative for none."""
        return min(self.max_payload, LONGEST) if self.payload else -1

    def wants(self, column: str) -> bool:
        """Whether a column is looked at."""
        return self.columns is None or column in self.columns


@dataclass(frozen=True)
class Part:
    """A part of a log that can be scanned apart, small and picklable.

    ``[start, end)`` are byte offsets in ``file`` (None in a log of one file); ``state`` is what
    the format's scanner must know of what comes before.
    """

    start: int = 0
    end: int | None = None
    file: str | None = None
    state: Any = None


WHOLE = Part()


@dataclass(frozen=True, slots=True)
class Records:
    """A run of ``n`` records of one file, in log order, as columns.

    ``at`` and ``size`` are int64, shape (n,), in bytes. ``payload`` is a binary array, or None
    where it was not wanted; ``truncated`` marks the records of which something was cut, None
    meaning none. ``fields`` holds the columns that were wanted, each of the type that
    ``COLUMNS`` of its format says.
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
        """The records from ``start`` to before ``stop``; nothing is copied."""
        return replace(
            self,
            at=self.at[start:stop],
            size=self.size[start:stop],
            payload=None if self.payload is None else self.payload[start:stop],
            fields={name: column[start:stop] for name, column in self.fields.items()},
            truncated=None if self.truncated is None else self.truncated[start:stop],
        )

    def pieces(self) -> Iterator[Records]:
        """The same records, at most :data:`PIECE_ROWS` of them at a time."""
        if len(self) <= PIECE_ROWS:
            yield self
            return
        for start in range(0, len(self), PIECE_ROWS):
            yield self.slice(start, start + PIECE_ROWS)


Event = Records | Lost | End


class Scanner(Protocol):
    """What a scanner offers."""

    def plan(self, log: Log, target_bytes: int) -> Sequence[Part]:
        """Return parts of about ``target_bytes`` that can be scanned separately, in log order.

        ``[WHOLE]`` where the format, or this log, cannot be split. ``OSError``.
        """

    def scan(self, log: Log, wanted: Wanted, part: Part = WHOLE) -> Iterator[Event]:
        """Yield the events of a part. ``OSError``.

        The parts of a log give exactly the records and lost ranges of the whole; only ``WHOLE``
        ends with an ``End``.
        """
