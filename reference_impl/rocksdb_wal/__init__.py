"""The RocksDB write-ahead log, executable: spec/rocksdb-wal.md says the same in prose."""

from reference_impl.rocksdb_wal.reader import read, recognise
from reference_impl.rocksdb_wal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
