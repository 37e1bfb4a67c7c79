"""The journal of ActiveMQ's KahaDB, executable: spec/kahadb-journal.md says the same in prose."""

from reference_impl.kahadb_journal.reader import read, recognise
from reference_impl.kahadb_journal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
