"""Notes of a format on its fields, in addition to the grammar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.kaitai.field_map import Field
from walproof.inspection.log_bytes import LogBytes


@dataclass(frozen=True)
class Note:
    """A note on one field."""

    #: Short text after the value, possibly empty.
    text: str = ""
    #: Result of a check, or None if there was no check.
    holds: bool | None = None
    #: Replacement for the value that the grammar gives, or None.
    value: str | None = None


NOTHING = Note()


class Notes(Protocol):
    """The notes of one format. Both methods may read the log around the field."""

    def unit(self, field: Field, log: LogBytes) -> Note | None:
        """Return the note on a record or a part of one; None for other fields with subfields."""
        return None

    def value(self, field: Field, log: LogBytes) -> Note:
        """Return the note on a field with a value."""
        return NOTHING


class NoNotes(Notes):
    """Notes of a format that adds nothing to its grammar."""
