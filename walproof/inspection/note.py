"""Notes of a format on its fields, beyond the grammar.

A grammar describes structure and judges nothing. Notes compare a field with others: whether a
checksum is correct, whether a length is possible, which type of unit this is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.kaitai.field_map import Field
from walproof.inspection.log_bytes import LogBytes


@dataclass(frozen=True)
class Note:
    """A note on one field.

    ``value``, if not None, replaces the value as the grammar shows it. ``text`` is a short text
    after the value, possibly empty. ``holds`` is the result of a check, or None if there is no
    check.
    """

    text: str = ""
    holds: bool | None = None
    value: str | None = None


NOTHING = Note()


class Notes(Protocol):
    """The notes of one format. Both methods may read the log around the field."""

    def unit(self, field: Field, log: LogBytes) -> Note | None:
        """Return the note on a field with subfields, if it holds a record or a part of one."""

    def value(self, field: Field, log: LogBytes) -> Note:
        """Return the note on a field with a value."""


class NoNotes:
    """Notes of a format that adds nothing to its grammar."""

    def unit(self, field: Field, log: LogBytes) -> Note | None:
        """Return None."""
        return None

    def value(self, field: Field, log: LogBytes) -> Note:
        """Return an empty note."""
        return NOTHING
