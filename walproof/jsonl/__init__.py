"""An answer as JSON lines: an object for each record and lost range, and one for the end."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.text import json_pieces, json_text
from reference_impl.answer import End, Event, Record, end_to_json

#: Payload size in bytes above which the line of a record is generated in pieces.
LARGE = 1 << 16


def line(event: Event) -> str:
    """Return one event of an answer as a line."""
    return "".join(pieces(event))


def pieces(event: Event) -> Iterator[str]:
    """Yield the line of one event, for a large record in many pieces."""
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
