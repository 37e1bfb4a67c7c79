"""Speed up the executable specification for large fields with compiled hashes."""

from __future__ import annotations

from reference_impl.systemd_journal.builder import Writer
from reference_impl.systemd_journal.objects import View
from walproof.formats import plugin_for

FORMAT = "systemd-journal"
#: Field size from which loading numba is worthwhile.
LARGE_FIELD_BYTES = 1 << 20


class QuickView(View):
    """See :class:`View`. The results are identical."""

    def hash(self, payload: bytes) -> int:
        """See :class:`View`."""
        if not _is_worth_it(payload):
            return super().hash(payload)
        return _compiled(payload, self.header.keyed, self.header.file_id)


class QuickWriter(Writer):
    """See :class:`Writer`. The output is identical."""

    def _hash(self, payload: bytes) -> int:
        if not _is_worth_it(payload):
            return super()._hash(payload)
        return _compiled(payload, self.header.keyed, self.header.file_id)

    def _jenkins(self, payload: bytes, at: int) -> int:
        if self.header.keyed and at not in self.jenkins_of and _is_worth_it(payload):
            self.jenkins_of[at] = _compiled(payload, False, bytes(16))
        return super()._jenkins(payload, at)


def _is_worth_it(payload: bytes) -> bool:
    return len(payload) >= LARGE_FIELD_BYTES and plugin_for(FORMAT).has_scanner


def _compiled(payload: bytes, is_keyed: bool, file_id: bytes) -> int:
    import numpy as np

    from walproof.formats.systemd_journal.scanner.hashing import hash_whole

    key = np.frombuffer(file_id, "<u8")
    data = np.frombuffer(payload, np.uint8)
    return int(hash_whole(data, (np.uint64(is_keyed), key[0], key[1])))
