"""The executable specification of etcd's write-ahead log, described by spec/etcd-wal.md."""

from reference_impl.etcd_wal.reader import read, recognise
from reference_impl.etcd_wal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
