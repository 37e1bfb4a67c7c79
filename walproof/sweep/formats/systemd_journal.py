"""systemd journal files in a sweep."""

from __future__ import annotations

import io
from collections.abc import Collection

from reference_impl.systemd_journal.export_format import parse_export
from walproof.sweep.formats.kind import Kind


class SystemdJournal(Kind):
    """See :class:`Kind`."""

    cost = 10.0
    pairs_tell = False
    selecting = ("match", "from_seqnum", "from_realtime")

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """Fields have hashes, and nothing covers the items that lead to them (SDJ-020)."""
        fields = {field for one in written for field in _fields_of(one)}
        return all(field in fields for field in _fields_of(payload))


def _fields_of(payload: bytes) -> Collection[bytes]:
    """The fields of a payload in export format."""
    return [field for entry in parse_export(io.BytesIO(payload)) for field in entry.payloads]


KIND = SystemdJournal()
