"""Zeebe's journal, executable: spec/zeebe-journal.md says the same in prose."""

from reference_impl.zeebe_journal.reader import read, recognise
from reference_impl.zeebe_journal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
