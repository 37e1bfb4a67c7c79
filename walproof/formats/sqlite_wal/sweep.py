"""Damage SQLite logs in a sweep."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from conformance.kaitai.field_map import Field
from reference_impl.answer import NewRecord, Record
from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    MAX_PAGE,
    PAGE_SIZES,
    SALTS,
    FrameHeader,
    advance,
    covered,
    order_of,
)
from walproof.sweep.format_sweep import Call, Edit, FormatSweep, Seal, Task, how_many

#: Offset of the checksum in a frame, and in the header of a log.
_IN_FRAME, _IN_HEADER = 16, 24


def _header(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    state = advance((0, 0), data[:_IN_HEADER], order_of(data[3]))
    return (_IN_HEADER, HEADER_SIZE, _stored(state))


def _frames(data: bytes, unit: Field, fields: Sequence[Field]) -> Edit:
    """Return corrected checksums of a frame and of all later frames, which depend on the frame."""
    size = unit.end - unit.start
    sealed = bytearray(data)
    before = _IN_HEADER if unit.start == HEADER_SIZE else unit.start - size + _IN_FRAME
    state = (
        int.from_bytes(data[before : before + 4], "big"),
        int.from_bytes(data[before + 4 : before + 8], "big"),
    )
    for at in range(unit.start, len(data) - size + 1, size):
        state = advance(state, covered(data[at : at + size]), order_of(data[3]))
        sealed[at + _IN_FRAME : at + FRAME_HEADER_SIZE] = _stored(state)
    start = unit.start + _IN_FRAME
    return (start, len(data), bytes(sealed[start:]))


def _stored(state: tuple[int, int]) -> bytes:
    return b"".join(half.to_bytes(4, "big") for half in state)


def _reseal_header(path: str, file: str) -> Call:
    return Call("reseal_header")


def _reseal_frames(path: str, file: str) -> Call:
    return Call("reseal", (int(path.removeprefix("frames[").removesuffix("]")) + 1,))


class SqliteSweep(FormatSweep):
    """See :class:`FormatSweep`."""

    # If the header is damaged, only 32 bits verify the log, and some flips of two bits cancel out.
    pairs_tell = False
    appends_exactly = True
    seals = (Seal("header", _header, _reseal_header), Seal("frames[]", _frames, _reseal_frames))

    def determines(self, context: Mapping[str, Any]) -> bool:
        """See :class:`FormatSweep`. Without configured salts, a writer chooses random salts."""
        return "salt_1" in context and "salt_2" in context

    def is_made_of(self, payload: bytes, written: Collection[bytes]) -> bool:
        """See :class:`FormatSweep`. Padding repeats the last image of a transaction (SQW-014)."""
        return any(each.endswith(payload) for each in written)

    def is_framing(self, before: bytes, after: bytes, record: Record) -> bool:
        """Return whether the bytes of a record are no longer content (SQW-014, SQW-030)."""
        size = record.size // len(record.fields["pages"])
        slots = range(record.at, record.at + record.size, size)
        return not any(
            FrameHeader.of(after[at : at + size]).has_salts(before[at : at + size][SALTS])
            for at in slots
            if at + FRAME_HEADER_SIZE <= len(after)
        ) or (
            record.size == size
            and covered(after[record.at : record.at + size])
            in (covered(after[at : at + size]) for at in range(HEADER_SIZE, record.at, size))
        )

    def plain(self, task: Task) -> NewRecord:
        """See :class:`FormatSweep`."""
        return NewRecord(b"x" * _page_size(task))

    def new_records(self, chance: Random, task: Task) -> list[NewRecord]:
        """See :class:`FormatSweep`. Some transactions repeat the previous commit frame."""
        page_size = _page_size(task)
        made: list[NewRecord] = []
        for _ in range(how_many(chance)):
            if chance.random() < 0.1 and (last := _last(task, made)):
                made.append(_commit_frame(last, page_size))
                continue
            count = chance.choice((1, 1, 1, 2, 3, 5))
            payload = b"".join(_image(chance, page_size) for _ in range(count))
            if chance.random() < 0.03:
                payload = payload[: chance.choice((0, 1, page_size // 2))]
            made.append(NewRecord(payload, _fields(chance, count)))
        return made


def _page_size(task: Task) -> int:
    if task.appends and task.records:
        record = task.records[0]
        return len(record.payload) // len(record.fields["pages"])
    configured = int(task.context.get("page_size", 512))
    return configured if configured in PAGE_SIZES else 512


def _last(task: Task, made: Sequence[NewRecord]) -> NewRecord | None:
    """Return the transaction before the next one to write."""
    if made:
        return made[-1]
    if task.appends and task.records:
        record = task.records[-1]
        return NewRecord(record.payload, record.fields)
    return None


def _commit_frame(record: NewRecord, page_size: int) -> NewRecord:
    """Return a transaction that repeats the last frame of another transaction."""
    count = max(1, len(record.payload) // page_size)
    pages = record.fields.get("pages", list(range(1, count + 1)))
    db_pages = record.fields.get("db_pages", max(pages))
    return NewRecord(record.payload[-page_size:], {"pages": pages[-1:], "db_pages": db_pages})


def _image(chance: Random, page_size: int) -> bytes:
    return chance.choice((chance.randbytes(page_size), bytes([chance.randrange(256)]) * page_size))


def _fields(chance: Random, count: int) -> dict[str, Any]:
    """Return random fields for a new record; a writer must refuse some of these fields."""
    fields: dict[str, Any] = {}
    if chance.random() < 0.7:
        numbers = (1, 2, 3, 7, 255, 65536, MAX_PAGE) + ((0,) if chance.random() < 0.1 else ())
        missing = chance.random() < 0.03
        fields["pages"] = [chance.choice(numbers) for _ in range(count - missing)] or [1, 2]
    if chance.random() < 0.5:
        fields["db_pages"] = chance.choice((1, 2, 5, 100, MAX_PAGE, 0, MAX_PAGE + 1))
    return fields


SWEEP = SqliteSweep()
