"""What a format says of its own fields, beyond the grammar.

The grammar describes structure and judges nothing. A format's notes compare a field with the
others: whether a checksum holds, whether a length can be right, which kind of unit this is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from conformance.kaitai.field_map import Field
from walproof.inspection.log_bytes import LogBytes


@dataclass(frozen=True)
class Note:
    """``value``, if it is not None, replaces the value as the grammar's type would show it.

    ``says`` is a few words after the value, possibly empty. ``holds`` says whether the field passes
    its check; it is None if there is no check.
    """

    says: str = ""
    holds: bool | None = None
    value: str | None = None


NOTHING = Note()


class Notes(Protocol):
    """The notes of one format. Both may read from the log around the field."""

    def unit(self, field: Field, log: LogBytes) -> Note | None:
        """For a field that has fields: what it is, if it holds a record or a part of one."""

    def value(self, field: Field, log: LogBytes) -> Note:
        """For a field that has a value."""


class NoNotes:
    """For a format that has nothing to add to its grammar."""

    def unit(self, field: Field, log: LogBytes) -> Note | None:
        """Nothing: no unit is known."""
        return None

    def value(self, field: Field, log: LogBytes) -> Note:
        """Nothing to say."""
        return NOTHING
