"""Check the TAG objects in a sealed file (SDJ-073 to SDJ-077)."""

from __future__ import annotations

import hmac
from collections.abc import Iterator

from reference_impl.systemd_journal import layout, sealing
from reference_impl.systemd_journal.layout import align
from reference_impl.systemd_journal.objects import Fault, View
from reference_impl.systemd_journal.sealing import VerificationKey
from reference_impl.systemd_journal.walk import Walk


class Seals:
    """A pass over the objects in file order. Each tag ends a segment."""

    def __init__(self, view: View, walk: Walk, key: VerificationKey | None) -> None:
        self.view = view
        self.walk = walk
        self.key = key
        # All seals are valid up to an entry with this realtime, in microseconds.
        self.sealed_until: int | None = None
        self._broken = False
        self._mac: hmac.HMAC | None = None
        self._times: list[int] = []  # These are the smallest and largest realtime in the segment.
        self._last_time = 0

    def check(self) -> Iterator[Fault]:
        """Yield faults in tags and in the bytes that tags cover, in file order."""
        view, header = self.view, self.view.header
        expected, last_epoch = 1, None
        self._begin(0)
        if self._mac is not None:
            self._mac.update(sealing.covered_of_header(view.data))
        for at in self._objects():
            object_type, size = view.data[at], view.object_size(at)
            if object_type == layout.ENTRY:
                self._note_time(view.entry(at).realtime)
                if expected == 1 and header.sealed:
                    text = "an entry before the first tag"
                    yield Fault(at, at + 16, "bad-seal", "SDJ-073", text)
            if self._mac is not None:
                for covered in sealing.covered_of_object(
                    object_type, view.data[at : at + size], header
                ):
                    self._mac.update(covered)
            if object_type != layout.TAG:
                continue
            if not header.sealed:
                text = "a tag in a file that is not sealed"
                yield Fault(at, at + size, "bad-seal", "SDJ-073", text)
                continue
            seqnum, epoch = view.number(at + 16), view.number(at + 24)
            if seqnum != expected:
                text = f"expected tag {expected}, found tag {seqnum}"
                yield Fault(at + 16, at + 24, "bad-seal", "SDJ-073", text)
            if last_epoch is not None and not self._follows(epoch, last_epoch):
                text = f"epoch {epoch} after epoch {last_epoch}"
                yield Fault(at + 24, at + 32, "bad-seal", "SDJ-074", text)
            if self.key is not None:
                yield from self._seal(at, epoch, self.key)
            expected, last_epoch = expected + 1, epoch
            self._begin(at + align(size))

    def _objects(self) -> Iterator[int]:
        for index, object_type in enumerate(self.walk.kinds):
            if object_type:
                yield index << 3

    def _follows(self, epoch: int, before: int) -> bool:
        if self.view.header.compatible_flags & layout.SEALED_CONTINUOUS:
            return before <= epoch <= before + 1
        return epoch >= before

    def _begin(self, at: int) -> None:
        """Begin a segment, whose HMAC depends on the epoch in the tag that ends it."""
        self._times, self._mac = [], None
        tag = self.walk.kinds.find(layout.TAG, at >> 3) << 3
        if self.key is None or tag < 0:
            return
        epoch = self.view.number(tag + 24)
        if epoch < layout.TIME_LIMIT:
            self._mac = sealing.seal(self.key.hmac_key(epoch))

    def _note_time(self, realtime: int) -> None:
        low, high = self._times or (realtime, realtime)
        self._times = [min(low, realtime), max(high, realtime)]
        self._last_time = realtime

    def _seal(self, at: int, epoch: int, key: VerificationKey) -> Iterator[Fault]:
        size = self.view.object_size(at)
        if self._mac is None:
            self._broken = True
            yield Fault(at + 24, at + 32, "bad-seal", "SDJ-074", f"epoch {epoch}")
            return
        if not hmac.compare_digest(self._mac.digest(), self.view.data[at + 32 : at + 64]):
            self._broken = True
            yield Fault(at, at + align(size), "bad-seal", "SDJ-075", "invalid seal")
            return
        if not self._times:
            return
        start = key.start + epoch * key.interval
        if self._times[0] < start or self._times[1] >= start + key.interval:
            text = f"entries outside epoch {epoch} under its seal"
            self._broken = True
            yield Fault(at + 24, at + 32, "bad-seal", "SDJ-076", text)
        if not self._broken:
            self.sealed_until = self._last_time
