"""The LevelDB log, executable: spec/leveldb-log.md says the same in prose."""

from reference_impl.leveldb_log.reader import read, recognise
from reference_impl.leveldb_log.writer import append, write

__all__ = ["append", "read", "recognise", "write"]
