"""Describe the payload of a record, as the chapter of its format defines it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from conformance.text import one_line
from reference_impl.answer import Record
from walproof import formats

#: Maximum number of items that a description lists. It also lists one more for each
#: :data:`BYTES_PER_ITEM` bytes of payload. Without a limit, the descriptions of tiny items could
#: exhaust memory.
LISTED_ITEMS = 16_384
BYTES_PER_ITEM = 64


class NotDescribed(ValueError):
    """Raised if a payload does not have the structure that the chapter defines."""

    def __init__(self, at: int, expected: str, found: str) -> None:
        """Report the expected and the found content at byte offset ``at`` of the payload."""
        super().__init__(f"at {at}: expected {expected}, found {found}")
        self.at = at


@dataclass(frozen=True, slots=True)
class Description:
    """The content of one record."""

    #: The description as one printable line. Long values are shortened.
    text: str
    #: The same content as JSON. 64-bit numbers are decimal text. :func:`bytes_to_json` converts
    #: bytes.
    fields: dict[str, Any]


def describe(format_id: str, record: Record) -> Description | None:
    """Describe a record. Return None if its payload is empty or its content is not defined.

    Raises :class:`NotDescribed`, and ``UnknownFormat`` for an unknown format id.
    """
    part = formats.import_part(formats.__name__, format_id, "describe")
    if part is None or not record.payload:
        return None
    return cast("Description | None", part.describe(record))


def max_items(payload: bytes) -> int:
    """Return how many items of a payload to list. Any further items are only counted."""
    return LISTED_ITEMS + len(payload) // BYTES_PER_ITEM


def bytes_to_json(data: bytes) -> str | dict[str, str]:
    """Return bytes as text if they are valid UTF-8, or as ``{"hex": …}``."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"hex": data.hex()}


def shorten(text: str, most_characters: int) -> str:
    """Return the start of a text on one line, with … if the text is longer."""
    shown = one_line(text[:most_characters])
    return shown if len(text) <= most_characters else f"{shown}…"
