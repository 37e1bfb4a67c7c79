"""The answer model: what a reader says of a log (spec/conventions.md, "The answer").

A reader is a generator of events in log order: any number of :class:`Record` and :class:`Lost`,
then exactly one :class:`End`. :func:`collect` turns them into an :class:`Answer`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Verdict = Literal["intact", "torn", "damaged", "refused"]

INLINE_PAYLOAD_LIMIT = 4096
"""In bytes. A longer payload is given by its SHA-256 instead of in hexadecimal."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record that a reader releases.

    ``at`` and ``size`` are the byte offset and length of the framed record, in bytes, from its
    first header to the end of its last fragment. ``fields`` holds what the format adds (index,
    term, …), with 64-bit numbers as decimal text. ``file`` names the file in a log of several
    files.
    """

    at: int
    size: int
    payload: bytes
    fields: Mapping[str, Any] = field(default_factory=dict)
    file: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The record as an answer shows it."""
        place: dict[str, Any] = {"file": self.file} if self.file is not None else {}
        return {
            **place,
            "at": self.at,
            "size": self.size,
            **self.fields,
            **payload_to_json(self.payload),
        }


@dataclass(frozen=True, slots=True)
class NewRecord:
    """One record to write: its payload, and what else the format needs to know (asqn, …)."""

    payload: bytes
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lost:
    """A half-open byte range ``[start, end)`` that yielded no record, and why.

    ``torn`` is true for an unfinished write at the end of the log, which was never acknowledged,
    and false for damage.
    """

    start: int
    end: int
    reason: str
    torn: bool = False
    file: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The range as an answer shows it."""
        place: dict[str, Any] = {"file": self.file} if self.file is not None else {}
        return {**place, "from": self.start, "to": self.end, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class End:
    """The last event: the verdict, the first fault met, and where a writer may safely resume.

    ``end`` is a byte offset, within ``file`` if the log has several files: truncate there, then
    append. ``None`` means: start a new file.
    """

    verdict: Verdict
    reason: str | None
    end: int | None
    file: str | None = None


Event = Record | Lost | End


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything a reader says of one log."""

    verdict: Verdict
    reason: str | None
    records: tuple[Record, ...]
    lost: tuple[Lost, ...]
    end: int | None
    end_file: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The answer as vectors and ``walproof read --json`` show it."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "records": [record.to_json() for record in self.records],
            "lost": [lost.to_json() for lost in self.lost],
            "end": end_to_json(self.end, self.end_file),
        }


def end_to_json(end: int | None, file: str | None) -> int | dict[str, Any] | None:
    """Where a writer may resume: an offset, and the file's name in a log of several files."""
    return end if file is None else {"file": file, "at": end}


def payload_to_json(payload: bytes) -> dict[str, str]:
    """``{"payload": hex}``, or ``{"payload_sha256": hex}`` above :data:`INLINE_PAYLOAD_LIMIT`."""
    if len(payload) > INLINE_PAYLOAD_LIMIT:
        return {"payload_sha256": hashlib.sha256(payload).hexdigest()}
    return {"payload": payload.hex()}


def collect(events: Iterable[Event]) -> Answer:
    """Run a reader to its end. Lost ranges are put in log order.

    Raises ``ValueError`` when the events do not finish with one :class:`End`: that is a defect of
    the reader, never of the log.
    """
    records: list[Record] = []
    lost: list[Lost] = []
    last: End | None = None
    files: dict[str | None, int] = {}  # in log order, which is not the order of their names
    for event in events:
        if last is not None:
            raise ValueError(f"the reader went on after its end: {event}")
        files.setdefault(event.file, len(files))
        if isinstance(event, Record):
            records.append(event)
        elif isinstance(event, Lost):
            lost.append(event)
        else:
            last = event
    if last is None:
        raise ValueError("the reader stopped without a verdict")
    lost.sort(key=lambda gap: (files[gap.file], gap.start))
    return Answer(last.verdict, last.reason, tuple(records), tuple(lost), last.end, last.file)
