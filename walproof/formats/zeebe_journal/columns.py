"""The record field that tables lack: the raft entry in the payload of a Zeebe record."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.answer import Record
from reference_impl.zeebe_journal.raft import decode


def add_fields(record: Record) -> Record:
    """Add the raft entry in the payload, or null values if there is none."""
    known = record.fields
    fields = {name: known[name] for name in ("index", "asqn", "checksum")}
    fields |= {name: known.get(name) for name in ("term", "entry_type")}
    more = {name: known[name] for name in ("entry_fault", "after_loss") if name in known}
    entry = decode(record.payload).entry
    return replace(record, fields={**fields, "entry": entry, **more})
