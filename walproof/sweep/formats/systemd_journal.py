"""systemd journal files in a sweep."""

from __future__ import annotations

from walproof.sweep.formats.kind import Kind


class SystemdJournal(Kind):
    """See :class:`Kind`."""

    cost = 10.0
    pairs_tell = False
    selecting = ("match", "from_seqnum", "from_realtime")


KIND = SystemdJournal()
