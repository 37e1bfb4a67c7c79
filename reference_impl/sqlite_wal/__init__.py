"""The executable specification of the SQLite write-ahead log, described by spec/sqlite-wal.md."""

from reference_impl.sqlite_wal.reader import read, recognise
from reference_impl.sqlite_wal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
