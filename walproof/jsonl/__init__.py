"""An answer as JSON lines: an object for each record and lost range, and one for the end."""

from __future__ import annotations

from conformance.text import json_text
from reference_impl.answer import End, Event, end_to_json


def line(event: Event) -> str:
    """One event of an answer as a line."""
    if isinstance(event, End):
        end = end_to_json(event.end, event.file)
        body: object = {"verdict": event.verdict, "reason": event.reason, "end": end}
    else:
        body = event.to_json()
    return json_text({type(event).__name__.lower(): body}) + "\n"
