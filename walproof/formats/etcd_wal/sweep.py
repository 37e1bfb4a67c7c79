"""Damage etcd's write-ahead logs in a sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from reference_impl.answer import Answer, NewRecord, Record
from reference_impl.etcd_wal.layout import CRC, sequence, varint
from reference_impl.etcd_wal.segment import Segment
from walproof.sweep.format_sweep import AppendTask, FormatSweep, LogState
from walproof.sweep.history_writer import HistoryWriter


class EtcdSweep(FormatSweep):
    """In this format, each checksum covers one payload, and is the seed of the next checksum."""

    appends_exactly = True
    # If zeros replace all frames from one frame on, the result is a shorter intact log.
    may_end_anywhere = True
    atom = 512
    enters_payloads = True
    pairs_tell = False

    def plain(self, task: AppendTask) -> NewRecord:
        """Return one short entry."""
        return _entry(_next_index(task.records), 9, b"x")

    def sized(self, task: AppendTask, size: int) -> NewRecord:
        """Return an entry with a payload of about ``size`` bytes."""
        return _entry(_next_index(task.records), 9, b"x" * size)

    def stored_records(
        self, files: Mapping[str, bytes], records: Sequence[Record]
    ) -> Sequence[Record]:
        """Return also the copies of metadata and state at the start of later files."""
        stored = []
        for name in sorted(files, key=lambda name: sequence(name) or 0):
            segment = Segment(files[name], is_last=False)
            at = 0
            while (reading := segment.message(at)) is not None:
                payload = files[name][slice(*reading.data)] if reading.data else b""
                if reading.kind != CRC:
                    stored.append(Record(at, reading.ends[0] - at, payload))
                at = reading.ends[0]
        return stored

    def tears_look_damaged(self, control: LogState, answer: Answer) -> bool:
        """Return True where a reader does not expect a torn write (ETW-051, ETW-073).

        A writer syncs a file before it begins the next one, and syncs the first two frames of each
        file. Before appending, it removes a torn tail and waits for the disk. A file that ends
        inside a sector was not preallocated, so a torn write leaves no hole in it.
        """
        names = sorted(control.files, key=lambda name: sequence(name) or 0)
        last = names[-1]
        before = control.earlier[0]
        ends = [r.at + r.size for r in before.records if (r.file or "") == last]
        old = before.files.get(last, b"")
        if len(old) % self.atom or (ends and len(old.rstrip(b"\0")) > ends[-1]):
            return True
        if not answer.lost:
            return False
        lost = answer.lost[0]
        segment = Segment(control.files[last], is_last=True)
        head = segment.message(0)
        second = segment.message(head.ends[0]) if head else None
        return (lost.file or "") != last or second is None or lost.start < second.ends[0]

    def reach(self, control: LogState, file: str, start: int, end: float) -> tuple[int, float]:
        """Damage destroys the records that it touches, and the one after them (ETW-031)."""
        records = [record for record in control.records if record.file in (None, file)]
        first = max((r.at for r in records if r.at <= start), default=0)
        after = [r for r in records if r.at >= end]
        # If the damage is in the last file, a reader may treat everything after it as torn
        # (ETW-052).
        is_last = not any(r.file != file for r in control.records[-1:] if r.file is not None)
        if is_last:
            return first, math.inf
        return first, after[1].at if len(after) > 1 else math.inf

    def write_history(self, log: HistoryWriter) -> None:
        """Write saves of several entries, markers, replaced entries, several files, and crashes."""
        chance = log.chance
        is_folder = chance.random() < 0.6
        log.name = "wal" if is_folder else "0000000000000000-0000000000000000.wal"
        choices = {"folder": is_folder, "segment_size": chance.choice((0, 512, 1024, 2048))}
        records = [NewRecord(log.payload((0, 22)), {"record_type": "metadata"}), _marker(0, 0)]
        raft = _Raft()
        if chance.random() < 0.8:
            raft.vote = chance.choice((1, 2**64 - 1))
        log.write(records, **choices)
        for _ in range(chance.randrange(1, 7)):
            batch: list[NewRecord] = []
            for _ in range(chance.randrange(1, 4)):
                batch += raft.save(log)
            log.append(batch, **choices)
            if chance.random() < 0.15:
                log.crash()
                raft.restart(log.read(log.contents).records)


class _Raft:
    """The state with which a cluster member continues to write."""

    def __init__(self) -> None:
        self.term, self.vote, self.commit, self.index, self.marker = 1, 0, 0, 0, 0

    def save(self, log: HistoryWriter) -> list[NewRecord]:
        """Return the records of one ``Save`` call, or a marker."""
        chance = log.chance
        before = self.term, self.vote, self.commit
        if chance.random() < 0.1 and self.commit > self.marker:
            self.marker = self.commit
            return [_marker(self.marker, self.term)]
        if chance.random() < 0.1:  # The leader sent a snapshot.
            self.marker = self.commit = self.index = self.index + chance.randrange(1, 90)
            return [_marker(self.marker, self.term), self._state()]
        if chance.random() < 0.15:
            self.term += chance.randrange(1, 3)
            self.index = chance.randrange(self.commit, self.index + 1)
        entries = []
        for _ in range(chance.randrange(4)):
            self.index += 1
            entries.append(_entry(self.index, self.term, log.payload()))
        self.commit = chance.randrange(self.commit, self.index + 1)
        is_new = (self.term, self.vote, self.commit) != before
        return entries + [self._state()] * is_new

    def restart(self, records: Sequence[Record]) -> None:
        """Set the state to that after these records."""
        for record in records:
            numbers = {name: int(record.fields.get(name, 0)) for name in ("term", "index")}
            if record.fields["record_type"] == "state":
                self.term, self.commit = numbers["term"], int(record.fields["commit"])
            elif record.fields["record_type"] == "snapshot":
                self.marker, self.index = numbers["index"], max(self.index, numbers["index"])
            elif record.fields["record_type"] == "entry":
                self.index, self.term = numbers["index"], max(self.term, numbers["term"])
        self.index = max(self.index, self.commit)

    def _state(self) -> NewRecord:
        payload = _numbers(self.term, self.vote, self.commit)
        return NewRecord(payload, {"record_type": "state"})


def _next_index(records: Sequence[Record]) -> int:
    return 1 + max(
        (int(r.fields.get("index", r.fields.get("commit", 0))) for r in records), default=0
    )


def _numbers(*numbers: int) -> bytes:
    """Return a protobuf message with these numbers in fields 1, 2, …."""
    return b"".join(bytes([8 * number]) + varint(value) for number, value in enumerate(numbers, 1))


def _entry(index: int, term: int, data: bytes) -> NewRecord:
    payload = _numbers(0, term, index) + (b"\x22" + varint(len(data)) + data if data else b"")
    return NewRecord(payload, {"record_type": "entry"})


def _marker(index: int, term: int) -> NewRecord:
    return NewRecord(_numbers(index, term), {"record_type": "snapshot"})


SWEEP = EtcdSweep()
