"""RocksDB and Pebble logs whose file name is the log number."""

from __future__ import annotations

from lab.crash.format_crash import FormatCrash
from lab.formats.leveldb_log.crash import records
from lab.formats.rocksdb_wal.databases import NAME

CRASH = FormatCrash(NAME, records)
