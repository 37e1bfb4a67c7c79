"""The executable specification of the LevelDB log, described by spec/leveldb-log.md."""

from reference_impl.leveldb_log.reader import read, recognise
from reference_impl.leveldb_log.writer import append, write

__all__ = ["append", "read", "recognise", "write"]
