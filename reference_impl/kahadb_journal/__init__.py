"""The executable specification of ActiveMQ's KahaDB journal (spec/kahadb-journal.md)."""

from reference_impl.kahadb_journal.reader import read, recognise
from reference_impl.kahadb_journal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
