"""The executable specification of the tally log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Event, Lost, NewRecord, Record, Verdict

SIGNATURE = b"TALLY"


def recognise(path: Path) -> bool:
    """Return whether a file begins with the signature (PRW-001)."""
    if not path.is_file():
        return False
    with path.open("rb") as log:
        return log.read(len(SIGNATURE)) == SIGNATURE


def read(path: Path, profile: str, context: Any) -> Iterator[Event]:
    """Yield the records of a log and the lost ranges, then the end (PRW-001 to PRW-005)."""
    data = path.read_bytes()
    if not data.startswith(SIGNATURE):
        yield End("refused", "not-a-tally", None)
        return
    verdict: Verdict = "intact"
    at, count, reason = len(SIGNATURE), 0, None
    while at < len(data):
        end = at + 2 + data[at]
        if end > len(data):
            yield Lost(at, len(data), "torn-record", torn=True)
            if verdict == "intact":
                verdict, reason = "torn", "torn-record"
            break
        payload, count = data[at + 1 : end - 1], count + 1
        if sum(payload) % 256 == data[end - 1]:
            yield Record(at, end - at, payload, {"count": count})
        elif profile == "strict":
            yield Lost(at, len(data), "checksum-mismatch")
            yield End("damaged", "checksum-mismatch", None)
            return
        else:
            yield Lost(at, end, "checksum-mismatch")
            verdict, reason = "damaged", "checksum-mismatch"
        at = end
    yield End(verdict, reason, at)


def framed(payload: bytes) -> bytes:
    """Return a record (PRW-002)."""
    return bytes([len(payload)]) + payload + bytes([sum(payload) % 256])


def write(path: Path, records: Sequence[NewRecord], context: Any) -> None:
    """Write a new log."""
    with path.open("xb") as log:
        log.write(SIGNATURE + b"".join(framed(record.payload) for record in records))


def append(path: Path, records: Sequence[NewRecord], context: Any) -> None:
    """Append records after removing a torn tail (PRW-006).

    Raises ``ValueError`` for any other file.
    """
    *_, end = read(path, "recover", context)
    if not isinstance(end, End) or end.end is None:
        raise ValueError("not a tally log")
    with path.open("r+b") as log:
        log.truncate(end.end)
        log.seek(end.end)
        log.write(b"".join(framed(record.payload) for record in records))
