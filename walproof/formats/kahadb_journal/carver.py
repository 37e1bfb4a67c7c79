"""Find KahaDB journals in a disk image by the fixed bytes at the start of each batch."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reference_impl.answer import Record
from reference_impl.kahadb_journal.data_file import Scan
from reference_impl.kahadb_journal.layout import (
    CONTROL,
    CONTROL_SIZE,
    EOF_RECORD,
    HEADER,
    MAX_BATCH_SIZE,
    RECORD,
    RECORD_HEAD,
    USER_RECORD,
)
from walproof.carve import base
from walproof.carve.model import Certainty, Find, Loose, Pattern

CHUNK = 1 << 20


@dataclass(slots=True)
class _Chain:
    """Consecutive batches; ``end`` is the end of the last batch found so far."""

    end: int
    certainty: Certainty = "structure"


class Carver(base.Carver):
    """See :class:`walproof.carve.base.Carver`."""

    patterns: Sequence[Pattern] = (Pattern(HEADER),)
    head_size = CONTROL_SIZE

    def find(self, at: int, pattern: int) -> Find:
        """See :class:`walproof.carve.base.Carver`."""
        chain = self._chain(at)
        if chain is None:
            return Find(at, at + len(HEADER), "loose", "signature")
        return Find(at, chain.end, "log" if at % self.align == 0 else "loose", chain.certainty)

    def records(self, at: int, end: int) -> Iterator[Loose]:
        """See :class:`walproof.carve.base.Carver`."""
        while at < end:
            chain = self._chain(at) if self.image.read(at, len(HEADER)) == HEADER else None
            if chain is None:
                following = self.image.find(HEADER, at + 1, end)
                if following is None:
                    return
                at = following
                continue
            with self.image.stream(at, chain.end) as stream:
                for event in Scan(stream).events(is_last=True):  # type: ignore[arg-type]
                    if isinstance(event, Record):
                        fields = {**event.fields, "batch": at + event.fields["batch"]}
                        yield Loose(at + event.at, event.size, event.payload, fields)
            at = chain.end

    def claims(self, head: bytes, position: int) -> int | None:
        """See :class:`walproof.carve.base.Carver`."""
        if len(head) < CONTROL_SIZE:
            return None
        header, size, checksum = CONTROL.unpack_from(head)
        fits = header == HEADER and 0 < size <= MAX_BATCH_SIZE and checksum > 0
        return CONTROL_SIZE + size if fits else None

    def holds(self, record: bytes) -> bool:
        """See :class:`walproof.carve.base.Carver`."""
        _, _, checksum = CONTROL.unpack_from(record)
        return bool(zlib.adler32(record[CONTROL_SIZE:]) == checksum)

    def _chain(self, at: int) -> _Chain | None:
        """Return the chain of batches from an offset on; None if its first batch is invalid."""
        first = self._soundness(at)
        if first is None:
            return None
        chain = _Chain(*first)
        while True:
            head = self.image.read(chain.end, CONTROL_SIZE)
            if head[: len(HEADER)] == HEADER:
                end = self._soundness(chain.end) or self._damaged(chain.end)
                if end is None:
                    return chain
                chain.end = end[0]
                if end[1] == "checksum":
                    chain.certainty = "checksum"
                continue
            if head.startswith(EOF_RECORD):
                chain.end += len(EOF_RECORD)
            return chain

    def _soundness(self, at: int) -> tuple[int, Certainty] | None:
        """Return the end of the valid batch at an offset and the evidence for it, or None."""
        head = self.image.read(at, CONTROL_SIZE)
        if len(head) < CONTROL_SIZE:
            return None
        header, size, checksum = CONTROL.unpack(head)
        end: int = at + CONTROL_SIZE + size
        if header != HEADER or not 0 < size <= MAX_BATCH_SIZE or end > self.image.size:
            return None
        if checksum > 0:
            return (end, "checksum") if self._sum_holds(at, end, checksum) else None
        return (end, "structure") if self._tiles(at + CONTROL_SIZE, end) else None

    def _damaged(self, at: int) -> tuple[int, Certainty] | None:
        """Return the end of a corrupt batch if another batch begins where its size field points."""
        _, size, _ = CONTROL.unpack(self.image.read(at, CONTROL_SIZE))
        if not 0 < size <= MAX_BATCH_SIZE:
            return None
        end = at + CONTROL_SIZE + size
        return (end, "structure") if self._soundness(end) else None

    def _sum_holds(self, at: int, end: int, checksum: int) -> bool:
        if checksum > 0xFFFFFFFF or not self.image.work.allows(end - at):
            return False
        value = 1
        for place in range(at + CONTROL_SIZE, end, CHUNK):
            value = zlib.adler32(self.image.read(place, min(CHUNK, end - place)), value)
        if value != checksum:
            self.image.work.spend(end - at)
        return value == checksum

    def _tiles(self, at: int, end: int) -> bool:
        """Return whether the records of a batch without a checksum fill the batch exactly."""
        steps = 0
        while at < end:
            size, kind = RECORD.unpack(self.image.read(at, RECORD_HEAD).ljust(RECORD_HEAD, b"\0"))
            if size < RECORD_HEAD or kind != USER_RECORD or not self.image.work.allows(steps):
                self.image.work.spend(steps)
                return False
            at += size
            steps += 64
        return at == end
