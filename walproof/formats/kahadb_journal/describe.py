"""Describe a broker's commands by name (KDB-016)."""

from __future__ import annotations

from reference_impl.answer import Record
from reference_impl.kahadb_journal.layout import COMMANDS, command
from walproof.describe import Description, NotDescribed
from walproof.quantity import counted


def describe(record: Record) -> Description:
    """Describe a command by its name and size. Raises :class:`NotDescribed`."""
    payload = record.payload
    known = command(payload)
    if known:
        text = f"{known['command_name']} ({counted(len(payload), 'byte')})"
        return Description(text, {**known, "size": len(payload)})
    if payload[0] >= len(COMMANDS):
        most = len(COMMANDS) - 1
        raise NotDescribed(0, f"the number of a command, at most {most}", str(payload[0]))
    found = payload[1:6].hex() or "the end"
    raise NotDescribed(1, "a varint with the length of the rest", found)
