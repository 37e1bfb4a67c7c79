"""The executable specification of RocksDB's write-ahead log, described by spec/rocksdb-wal.md."""

from reference_impl.rocksdb_wal.reader import read, recognise
from reference_impl.rocksdb_wal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
