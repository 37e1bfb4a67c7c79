"""Read the header of a SQLite write-ahead log, or rebuild it if it is lost.

Upstream authority: sqlite/sqlite ``src/wal.c``, ``walIndexRecover``.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO

from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER,
    HEADER_SIZE,
    MAGIC,
    NO_SALTS,
    PAGE_SIZES,
    ROLLBACK_JOURNAL,
    VERSION,
    FrameHeader,
    Header,
    Order,
    Slots,
    State,
    advance,
    covered,
    order_of,
    rewind,
)

_MASK = 0xFFFFFFFF


class Refused(Exception):
    """Raised if the file is not a log or has an unsupported version.

    ``reason`` is the reason code.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason


class NoHeader(Exception):
    """Raised if the header is unfinished, which makes the log unreadable (SQW-021)."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The values that a reader needs to read a log's frames."""

    page_size: int
    order: Order
    salts: bytes
    #: The checksum of the header, or None if it is unknown.
    checksum: State | None
    #: The header, or None if its checksum is unknown.
    header: Header | None
    is_damaged: bool = False


def open_log(file: BinaryIO, size: int) -> Opening:
    """Return the values for reading the frames of a non-empty file (SQW-020 to SQW-025).

    Raises :class:`Refused` or :class:`NoHeader`.
    """
    file.seek(0)
    head = file.read(HEADER_SIZE)
    if head.startswith(ROLLBACK_JOURNAL):
        raise Refused("rollback-journal")  # SQW-022
    if size >= HEADER_SIZE:
        magic, version, page_size, sequence, salts, first, second = HEADER.unpack(head)
        order = order_of(magic)
        is_right = advance((0, 0), head[:24], order) == (first, second)
        if magic & ~1 == MAGIC and is_right:
            if page_size not in PAGE_SIZES:
                raise Refused("bad-page-size")  # SQW-023
            if version != VERSION:
                raise Refused("bad-version")  # SQW-024
            header = Header(order, page_size, sequence, salts)
            return Opening(page_size, order, salts, header.checksum, header)
        if (found := rebuild(file, size)) or (found := _first_link(file, size)):
            return found
    if looks_unfinished(head):
        raise NoHeader  # SQW-021
    raise Refused("bad-magic")  # SQW-022


def looks_unfinished(head: bytes) -> bool:
    """Return whether bytes are all zero or could begin a header (SQW-021)."""
    magics = [(MAGIC | bit).to_bytes(4, "big") for bit in (0, 1)]
    return not any(head) or any(head[:4] == magic[: len(head)] for magic in magics)


def rebuild(file: BinaryIO, size: int) -> Opening | None:
    """Rebuild the header from frame 1, or return None if its redundant bits differ (SQW-026)."""
    stored: Opening | None = None
    file.seek(0)
    _, _, _, _, header_salts, *checksum = HEADER.unpack(file.read(HEADER_SIZE).ljust(HEADER_SIZE))
    for page_size in PAGE_SIZES:
        slots = Slots(file, size, page_size)
        if not slots.count:
            break
        slot = slots.data(1)
        frame = FrameHeader.of(slot)
        if not frame.page:
            break
        for order in _ORDERS:
            state = rewind(frame.checksum, covered(slot), order)
            for salts in (frame.salts, header_salts):
                header = _header_of(state, order, page_size, salts)
                if header:
                    return Opening(page_size, order, salts, state, header, is_damaged=True)
            if stored is None and state == tuple(checksum):
                stored = Opening(page_size, order, frame.salts, state, None, is_damaged=True)
    return stored


_ORDERS: tuple[Order, Order] = ("<", ">")


def _header_of(state: State, order: Order, page_size: int, salts: bytes) -> Header | None:
    """Return the header with checksum ``state`` by solving for its sequence number, or None."""
    start = Header(order, page_size, 0, salts).to_bytes()
    first, second = advance((0, 0), start[:8], order)
    after_first, after_second = rewind(state, salts, order)
    x = struct.unpack(f"{order}I", start[8:12])[0]
    if after_first != (first + x + second) & _MASK:
        return None
    y = (after_second - second - after_first) & _MASK
    sequence = int.from_bytes(struct.pack(f"{order}I", y), "big")
    return Header(order, page_size, sequence, salts)


def _first_link(file: BinaryIO, size: int) -> Opening | None:
    """Return the values from the first two adjacent slots with chained checksums (SQW-027)."""
    either: Opening | None = None
    for page_size in reversed(PAGE_SIZES):
        slots = Slots(file, size, page_size)
        for number in range(2, slots.count + 1):
            file.seek(slots.at(number - 1))
            both = file.read(slots.slot_size + FRAME_HEADER_SIZE)
            before, frame = FrameHeader.of(both), FrameHeader.of(both[slots.slot_size :])
            if before.salts != frame.salts or frame.salts == NO_SALTS or not frame.page:
                continue
            data = covered(slots.data(number))
            orders = [o for o in _ORDERS if rewind(frame.checksum, data, o) == before.checksum]
            if not orders:
                continue
            found = Opening(page_size, orders[0], frame.salts, None, None, is_damaged=True)
            if len(orders) == 1:
                return found
            either = either or found
    return either
