"""The write-ahead log of SQLite, executable: spec/sqlite-wal.md says the same in prose."""

from reference_impl.sqlite_wal.reader import read, recognise
from reference_impl.sqlite_wal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
