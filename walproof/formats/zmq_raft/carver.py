"""Find zmq-raft files in a disk image by magic tokens or by the first key of a state file.

The format has no checksums, so the only evidence is a consistent structure. A fragment without the
start of its file is not found.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from reference_impl.answer import Record
from reference_impl.zmq_raft import snapshot, state
from reference_impl.zmq_raft.index_file import HEADER, Layout, read_layout, spans
from reference_impl.zmq_raft.layout import CHUNK, VERSION, Refusal, padded
from walproof.carve import base
from walproof.carve.model import Find, Loose, Pattern, Window

INDEX, SNAPSHOT = range(2)
KEYS = (b"currentTerm", b"votedFor", b"peers", b"peersUpdateRequest", b"peersIndex", b"lastApplied")
"""The keys that ``RaftPersistence`` and ``BroadcastStateMachine`` write to state files."""
#: Maximum bytes of a state file. A writer rotates the file at half a mebibyte, but the last update
#: may be longer.
STATE_ROOM = 2 << 20
#: Maximum bytes recovered of a snapshot that is incomplete in the image.
LARGEST = 1 << 30
#: Maximum number of chunks before the data marker; writers create one.
CHUNKS = 64


def _key(key: bytes) -> Pattern:
    """Return a pattern for a state file whose first update begins with a key."""
    return Pattern((bytes([0xA0 | len(key)]) + key)[:16], back=1)


class Carver(base.Carver):
    """See :class:`walproof.carve.base.Carver`."""

    patterns: Sequence[Pattern] = (
        # The length field is 16 plus four bytes for each of at most 2^24 entries.
        Pattern(b"RLOG\0\0\0\0\1\0\0\0", b"\xff\xff\xff\xff\3\0\0\xf8\xff\xff\xff\xff"),
        Pattern(b"SNAP\x1c\0\0\0\1\0\0\0"),
        *map(_key, KEYS),
    )

    def window(self, window: Window, hits: Sequence[tuple[int, int]]) -> Iterator[Find]:
        """See :class:`walproof.carve.base.Carver`."""
        for at, pattern in hits:
            if at >= self._done and (find := self.find(at, pattern)) is not None:
                # The data of a snapshot cannot be verified, so logs inside the data are also finds.
                self._done = find.at + snapshot.HEADER.size if pattern == SNAPSHOT else find.end
                yield find

    def find(self, at: int, pattern: int) -> Find | None:
        """See :class:`walproof.carve.base.Carver`."""
        if at % self.align:
            return None
        if pattern == INDEX:
            return self._index_file(at)
        return self._snapshot(at) if pattern == SNAPSHOT else self._state(at)

    def records(self, at: int, end: int) -> Iterator[Loose]:
        """See :class:`walproof.carve.base.Carver`. Entries are never found outside a file."""
        return iter(())

    def _index_file(self, at: int) -> Find | None:
        """Return an index file whose offsets increase and whose marker follows the table."""
        head = self.image.read(at, HEADER.size)
        if len(head) < HEADER.size:
            return None
        _, length, _, capacity, _ = HEADER.unpack(head)
        if length != 16 + 4 * capacity or not self._marker(at + HEADER.size + 4 * capacity):
            return None
        if not self.image.work.allows(4 * capacity):
            return None
        self.image.work.spend(4 * capacity)  # the table is read even if the header is false
        size = self.image.size - at
        with self.image.stream(at, self.image.size) as stream:
            try:
                layout = read_layout(stream, size, None)  # type: ignore[arg-type]
            except Refusal:
                return None
        if not isinstance(layout, Layout) or layout.data is None:
            return None
        end = layout.data
        for span in spans(layout):
            if span.reason is None:
                end = max(end, layout.data + span.end)
        return Find(at, at + end, "log", "structure", ".rlog")

    def _marker(self, at: int) -> bool:
        """Return whether the chunks after a table lead to the data marker."""
        for _ in range(CHUNKS):
            head = self.image.read(at, CHUNK.size)
            if len(head) < CHUNK.size:
                return False
            token, length = CHUNK.unpack(head)
            if token == b"ITMZ":
                return True
            at += CHUNK.size + padded(length)
        return False

    def _snapshot(self, at: int) -> Find | None:
        head = self.image.read(at, snapshot.HEADER.size)
        if len(head) < snapshot.HEADER.size:
            return None
        _, _, version, index, term, size = snapshot.HEADER.unpack(head)
        if version != VERSION or max(index, term) > snapshot.MAX_NUMBER:
            return None
        place = at + snapshot.HEADER.size
        for _ in range(CHUNKS):
            chunk = self.image.read(place, CHUNK.size)
            if len(chunk) < CHUNK.size:
                return None
            token, length = CHUNK.unpack(chunk)
            place += CHUNK.size
            if token == b"DATA":
                end = place + size
                if end > self.image.size:
                    end = self._before_another(place, min(self.image.size, at + LARGEST))
                return Find(at, end, "log", "structure", ".snap")
            place += padded(length)
        return None

    def _before_another(self, at: int, end: int) -> int:
        """Return the offset of the next zmq-raft file, which overwrote this file; else ``end``."""
        for token, rest in ((b"SNAP", b"\x1c\0\0\0\1\0\0\0"), (b"RLOG", b"")):
            place = at
            while (next_at := self.image.find(token + rest, place, end)) is not None:
                if next_at % self.align == 0 and (rest or self._index_file(next_at)):
                    end = next_at
                    break
                place = next_at + 1
        return end

    def _state(self, at: int) -> Find | None:
        """Return consecutive updates up to the first incomplete one."""
        first = self.image.read(at, 1)
        if not first or not state.begins_map(first[0]) or first == b"\x80":
            return None
        size = min(STATE_ROOM, self.image.size - at)
        if not self.image.work.allows(1 << 12):
            return None
        end = 0
        with self.image.stream(at, at + size) as stream:
            for part in state.read(io.BytesIO(stream.read(size)), size):
                if isinstance(part, Record):
                    end = part.at + part.size
        if not end:
            self.image.work.spend(min(size, 1 << 16))
            return None
        return Find(at, at + end, "log", "structure", ".pers")
