"""Columns for the fields of a Zeebe record."""

from __future__ import annotations

from dataclasses import replace

from reference_impl.answer import Record
from reference_impl.zeebe_journal.raft import decode
from walproof.scan.columns import Column, NumberColumn

COLUMNS = (
    NumberColumn("index", "int64", "index of the record in the journal"),
    NumberColumn("asqn", "int64", "application sequence number, -1 for none"),
    NumberColumn("checksum", "uint32", "stored checksum"),
    NumberColumn("term", "uint64", "raft term; null where the payload is no raft entry"),
    Column("entry_type", "string", "application, configuration or initial"),
    Column("entry_fault", "string", "why the payload is no raft entry"),
)


def add_fields(record: Record) -> Record:
    """Add the raft entry that the payload contains; null values if there is none."""
    known = record.fields
    fields = {name: known[name] for name in ("index", "asqn", "checksum")}
    fields |= {name: known.get(name) for name in ("term", "entry_type")}
    fault = {name: known[name] for name in ("entry_fault",) if name in known}
    entry = decode(record.payload).entry
    return replace(record, fields={**fields, "entry": entry, **fault})
