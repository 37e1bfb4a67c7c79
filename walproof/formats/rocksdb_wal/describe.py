"""Describe write batches (spec/rocksdb-wal.md, section "Payloads"; informative, without ids)."""

from __future__ import annotations

from reference_impl.answer import Record
from walproof.describe import Description
from walproof.formats.leveldb_log.describe import only_one, read_batches


def describe(record: Record) -> Description:
    """Describe a write batch. Raises :class:`walproof.describe.NotDescribed`."""
    # Only WAL-sync logs have sync offsets, and only Pebble writes such logs (RDB-022).
    is_pebble = "sync_offset" in record.fields
    return only_one(read_batches(record.payload, is_pebble)).description()
