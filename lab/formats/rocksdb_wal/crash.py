"""Logs of RocksDB and Pebble, with the log number as the file name."""

from __future__ import annotations

from lab.crash.format_crash import FormatCrash
from lab.formats.leveldb_log.crash import records
from lab.formats.rocksdb_wal.databases import NAME

CRASH = FormatCrash(NAME, records)
