"""The executable specification of systemd's journal files, described by spec/systemd-journal.md.

Upstream authority: systemd ``src/libsystemd/sd-journal/`` (``journal-def.h``, ``journal-file.c``,
``journal-verify.c``, ``journal-authenticate.c``, ``fsprg.c``, ``sd-journal.c``).
"""

from reference_impl.systemd_journal.loading import loaded
from reference_impl.systemd_journal.reader import read, recognise
from reference_impl.systemd_journal.writer import append, copied, write

__all__ = ["append", "copied", "loaded", "read", "recognise", "write"]
