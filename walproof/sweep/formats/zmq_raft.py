"""zmq-raft logs in a sweep: they have no checksums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reference_impl.answer import Record
from walproof.sweep.formats.kind import Kind


class ZmqRaft(Kind):
    """See :class:`Kind`."""

    def tells_payloads(self, files: Mapping[str, bytes], records: Sequence[Record]) -> bool:
        """See :class:`Kind`."""
        return False


KIND = ZmqRaft()
