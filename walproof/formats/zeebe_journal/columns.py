"""Add the record field that tables do not store: the raft entry in a Zeebe record's payload."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.answer import Record
from reference_impl.zeebe_journal.raft import decode


def add_fields(record: Record) -> Record:
    """Return the record with the raft entry in its payload, or with nulls if there is none."""
    known = record.fields
    fields = {name: known[name] for name in ("index", "asqn", "checksum")}
    fields |= {name: known.get(name) for name in ("term", "entry_type")}
    more = {name: known[name] for name in ("entry_fault", "after_loss") if name in known}
    entry = decode(record.payload).entry
    return replace(record, fields={**fields, "entry": entry, **more})
