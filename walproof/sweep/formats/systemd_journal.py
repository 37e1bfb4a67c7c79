"""systemd journal files in a sweep."""

from __future__ import annotations

from walproof.sweep.formats.kind import Kind


class SystemdJournal(Kind):
    """See :class:`Kind`."""

    cost = 40.0


KIND = SystemdJournal()
