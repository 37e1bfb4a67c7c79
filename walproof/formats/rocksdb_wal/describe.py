"""Describe write batches (section "Payloads" of spec/rocksdb-wal.md, informative, without ids)."""

from __future__ import annotations

from reference_impl.answer import Record
from walproof.describe import Description
from walproof.formats.leveldb_log.describe import only_one, read_batches


def describe(record: Record) -> Description:
    """Describe a write batch. Raises :class:`walproof.describe.NotDescribed`."""
    # RDB-022: only a WAL-sync log has sync offsets, and only Pebble writes such logs.
    is_pebble = "sync_offset" in record.fields
    return only_one(read_batches(record.payload, is_pebble)).description()
