"""The reader of a whole log, which is one segment file or a folder of segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Event, Lost, ReasonCode, Record, Verdict
from reference_impl.etcd_wal.layout import (
    CRC,
    ENTRY,
    METADATA,
    STATE,
    payload_numbers,
    record_fields,
    segments,
    sequence,
)
from reference_impl.etcd_wal.segment import BEGINNING, Item, Known, Segment

#: Number of characters in the names of segments that etcd writes.
NAME_SIZE = 37
LOOK_AHEAD = 65536


@dataclass(frozen=True, slots=True)
class Placed:
    """An item and its file. ``is_record`` is false for framing and lost ranges."""

    file: str | None
    item: Item
    is_record: bool


class Journal:
    """The files of a log, which are read in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: list[str | None] = [None]
        if path.is_dir():
            self.names = list(segments(path))
        self.sizes: list[int] = []
        self.placed: list[Placed] = []
        #: A writer repeats these payloads at the start of its next file (ETW-009).
        self.metadata: bytes | None = None
        self.state: bytes | None = None
        #: States in the records after the last one: one may be a state of a changed type.
        self.since_state: set[bytes] = set()
        #: The index of the last entry (ETW-072).
        self.index = 0
        self._read()

    @property
    def damage(self) -> str | None:
        """Return the code of the first damage, if any (ETW-060)."""
        items = (each.item for each in self.placed)
        return next((item.code for item in items if item.code and not item.is_torn), None)

    def file(self, name: str | None) -> Path:
        """Return the path of the file with this name in an answer."""
        return self.path if name is None else self.path / name

    def _read(self) -> None:
        running: int | None = None
        known = Known()
        heads: set[int] = set()
        following = self._load(0)
        for number, name in enumerate(self.names):
            data, following = following, self._load(number + 1)
            segment = Segment(data, number + 1 == len(self.names), _head_of(following))
            self.sizes.append(len(data))
            if number and self._skips(number):  # ETW-042
                self.placed.append(Placed(name, Item(0, 0, code="missing-file", loses=True), False))
                running = None
            segment.scan(running, number == 0, known, heads)
            self._place(name, segment.items)
            known = known.after(segment.items)
            running = segment.seed
        self.crc, self.end = running or 0, segment.end

    def _load(self, number: int) -> bytes:
        return self.file(self.names[number]).read_bytes() if number < len(self.names) else b""

    def _skips(self, number: int) -> bool:
        before, after = (sequence(name or "") or 0 for name in self.names[number - 1 : number + 1])
        return after > before + 1

    def _place(self, name: str | None, items: list[Item]) -> None:
        """Sort the items of a file into records, framing and lost ranges (ETW-009, ETW-028)."""
        states = {self.state, *self.since_state}
        repeated = [(METADATA, {self.metadata}), (STATE, states)]
        for item in items:
            is_record = item.payload is not None
            is_first = (
                item.kind == METADATA and self.metadata is None and item.payload not in states
            )
            if is_record and not is_first:
                while repeated and item.payload not in repeated[0][1]:
                    repeated.pop(0)
            if is_record and repeated and not is_first:
                kind, _ = repeated.pop(0)
                is_record = False
                if kind != item.kind:
                    item = replace(item, kind=kind, code=ReasonCode("bad-type", "ETW-009"))
            if is_record and item.kind == METADATA and self.metadata not in (None, item.payload):
                conflict = item.code or "metadata-conflict"
                item = Item(item.start, item.end, item.kind, item.seed, conflict, item.payload)
            self.placed.append(Placed(name, item, is_record))
            self._remember(item)

    def _remember(self, item: Item) -> None:
        if item.payload is None:
            return
        if payload_numbers(STATE, item.payload):
            self.since_state.add(item.payload)
        if item.kind == METADATA:
            self.metadata = item.payload if self.metadata is None else self.metadata
        elif item.kind == STATE:
            self.state = item.payload
            self.since_state.clear()
        elif item.kind == ENTRY and item.numbers:
            self.index = item.numbers["index"]

    def events(self, is_strict: bool) -> Iterator[Event]:
        """Yield records and lost ranges, then the end (ETW-060 to ETW-063)."""
        damage = self.damage
        torn = next((each.item.code for each in self.placed if each.item.is_torn), None)
        is_after_loss = False
        for each in self.placed:
            item = each.item
            if item.code:
                if is_strict and damage:
                    yield from self._rest(each.file, item.start, damage)
                    return
                yield Lost(item.start, item.end, item.code, item.is_torn, each.file)
                is_after_loss = is_after_loss or item.loses
            if each.is_record:
                yield self._record(each, is_after_loss)
        verdict: Verdict = "damaged" if damage else "torn" if torn else "intact"
        end = None if damage else self.end
        yield End(verdict, damage or torn, end, None if end is None else self.names[-1])

    def _rest(self, file: str | None, start: int, damage: str) -> Iterator[Event]:
        """Report everything from the first damage on as lost, one range per file (ETW-062)."""
        number = self.names.index(file)
        for name, size in zip(self.names[number:], self.sizes[number:], strict=True):
            yield Lost(start, size, damage, file=name)
            start = 0
        yield End("damaged", damage, None)

    def _record(self, each: Placed, is_after_loss: bool) -> Record:
        item = each.item
        assert item.kind is not None and item.payload is not None
        fields = record_fields(item.kind, item.numbers)
        if is_after_loss:
            fields["after_loss"] = True
        return Record(item.start, item.end - item.start, item.payload, fields, each.file)


def _head_of(data: bytes) -> int | None:
    """Return the checksum in a file's head, or None if the file has no head (ETW-008)."""
    head = Segment(data, is_last=True).message(0)
    return head.crc if head and head.kind == CRC and head.data is None else None


def read(path: Path, profile: str, context: Mapping[str, Any]) -> Iterator[Event]:
    """Yield the records and lost ranges of a segment or a folder of segments, then the end.

    ``context`` is ignored. Raises ``OSError``, and ``ValueError`` for an unknown profile.
    """
    if profile not in ("recover", "strict"):
        raise ValueError(f"unknown profile {profile!r}: expected 'recover' or 'strict'")
    if path.is_dir() and not segments(path):
        yield End("refused", "no-segments", None)  # ETW-001
        return
    yield from Journal(path).events(profile == "strict")


def recognise(path: Path) -> bool:
    """Return whether a file, or any segment in a folder, looks like one of etcd's."""
    if path.is_dir():
        return any(recognise(path / name) for name in segments(path))
    with path.open("rb") as stream:
        head = stream.read(LOOK_AHEAD)
    if head[1:7] == bytes(6) and head[8:11] == b"\x08\x04\x10":
        return True
    is_named = sequence(path.name) is not None and len(path.name) == NAME_SIZE
    return is_named and (not any(head) or BEGINNING.search(head) is not None)
