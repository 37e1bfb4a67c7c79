"""The executable specification of Zeebe's journal, described by spec/zeebe-journal.md."""

from reference_impl.zeebe_journal.reader import read, recognise
from reference_impl.zeebe_journal.writer import append, copied, write

__all__ = ["append", "copied", "read", "recognise", "write"]
