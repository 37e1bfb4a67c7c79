"""The answer model: what a reader returns for a log (spec/conventions.md, "The answer")."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

Verdict = Literal["intact", "torn", "damaged", "refused"]

# Maximum size in bytes of a payload that an answer shows as hexadecimal text. Longer payloads are
# shown as SHA-256 digests.
INLINE_PAYLOAD_LIMIT = 4096


class ReasonCode(str):
    """A reason code that carries the id of the requirement that decided it.

    Readers need it only for codes that several requirements define. For all other codes, the
    register has the id.
    """

    requirement: str

    def __new__(cls, code: str, requirement: str = "") -> Self:
        """Return the code with the id. (When a code is copied, its id is set afterwards.)"""
        self = super().__new__(cls, code)
        self.requirement = requirement
        return self


def plain_code(code: str | None) -> str | None:
    """Return a reason code as a plain ``str``, because some JSON libraries refuse subclasses."""
    return None if code is None else str(code)


@dataclass(frozen=True, slots=True)
class Record:
    """One record that a reader returns."""

    #: The offset of the record's first header, in bytes.
    at: int
    #: The number of bytes from ``at`` to the end of the record's last fragment.
    size: int
    payload: bytes
    #: Additional fields that depend on the format (index, term, …). 64-bit numbers are decimal
    #: text.
    fields: Mapping[str, Any] = field(default_factory=dict)
    #: The name of the file that contains the record. None if the log is a single file.
    file: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the record as it appears in an answer."""
        file: dict[str, Any] = {"file": self.file} if self.file is not None else {}
        return {
            **file,
            "at": self.at,
            "size": self.size,
            **self.fields,
            **payload_to_json(self.payload),
        }


@dataclass(frozen=True, slots=True)
class NewRecord:
    """One record to write: its payload, and the fields that the format needs (asqn, …)."""

    payload: bytes
    fields: Mapping[str, Any] = field(default_factory=dict)


class InvalidRecord(ValueError):
    """Raised by a writer if no log can hold record ``number`` (from 0) at its position."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


@dataclass(frozen=True, slots=True)
class Lost:
    """A half-open byte range ``[start, end)`` that contains no record."""

    start: int
    end: int
    reason: str
    #: True for an unfinished write at the end of the log, and false for damage.
    torn: bool = False
    file: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the range as it appears in an answer."""
        file: dict[str, Any] = {"file": self.file} if self.file is not None else {}
        return {**file, "from": self.start, "to": self.end, "reason": plain_code(self.reason)}


@dataclass(frozen=True, slots=True)
class End:
    """The last event that a reader yields."""

    verdict: Verdict
    #: The first reason code.
    reason: str | None
    #: The offset at which a writer truncates the file and appends. None if it must start a new
    #: file.
    end: int | None
    #: The name of the file in which ``end`` is an offset. None if the log is a single file.
    file: str | None = None


Event = Record | Lost | End


@dataclass(frozen=True, slots=True)
class Answer:
    """The complete answer of a reader for one log."""

    verdict: Verdict
    reason: str | None
    records: tuple[Record, ...]
    lost: tuple[Lost, ...]
    end: int | None
    end_file: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the answer in the form that vectors and ``walproof read --json`` use."""
        return {
            "verdict": self.verdict,
            "reason": plain_code(self.reason),
            "records": [record.to_json() for record in self.records],
            "lost": [lost.to_json() for lost in self.lost],
            "end": end_to_json(self.end, self.end_file),
        }


def end_to_json(end: int | None, file: str | None) -> int | dict[str, Any] | None:
    """Return the offset for the next write, with the file name if the log has several files."""
    return end if file is None else {"file": file, "at": end}


def payload_to_json(payload: bytes) -> dict[str, str]:
    """Return the payload in hex, or its SHA-256 above :data:`INLINE_PAYLOAD_LIMIT` bytes."""
    if len(payload) > INLINE_PAYLOAD_LIMIT:
        return {"payload_sha256": hashlib.sha256(payload).hexdigest()}
    return {"payload": payload.hex()}


def collect(events: Iterable[Event]) -> Answer:
    """Consume a reader's events and return the answer, with the lost ranges in log order.

    Raises ``ValueError`` unless the last event, and no other, is an :class:`End`.
    """
    records: list[Record] = []
    lost: list[Lost] = []
    last: End | None = None
    # The files are in log order, which may differ from the order of their names.
    files: dict[str | None, int] = {}
    for event in events:
        if last is not None:
            raise ValueError(f"the reader continued after its end: {event}")
        files.setdefault(event.file, len(files))
        if isinstance(event, Record):
            records.append(event)
        elif isinstance(event, Lost):
            lost.append(event)
        else:
            last = event
    if last is None:
        raise ValueError("the reader ended without a verdict")
    lost.sort(key=lambda gap: (files[gap.file], gap.start))
    return Answer(last.verdict, last.reason, tuple(records), tuple(lost), last.end, last.file)
