"""An answer as JSON lines: an object for each record and lost range, and one for the end."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.text import json_pieces, json_text
from reference_impl.answer import End, Event, Record, end_to_json

LARGE = 1 << 16
"""Bytes of a payload from which on the line of its record is not made as a whole."""


def line(event: Event) -> str:
    """One event of an answer as a line."""
    return "".join(pieces(event))


def pieces(event: Event) -> Iterator[str]:
    """The line of one event, that of a large record in many pieces."""
    if isinstance(event, Record) and len(event.payload) > LARGE:
        yield from json_pieces({"record": event.to_json()})
        yield "\n"
        return
    if isinstance(event, End):
        end = end_to_json(event.end, event.file)
        body: object = {"verdict": event.verdict, "reason": event.reason, "end": end}
    else:
        body = event.to_json()
    yield json_text({type(event).__name__.lower(): body}) + "\n"
