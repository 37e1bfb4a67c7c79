"""Builder of SQLite write-ahead logs for recipes, and the list of these recipes."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from conformance.contents import Contents
from conformance.recipes.recipe import Book, Log
from conformance.recipes.sqlite_wal.checksums import checksums_from, header_checksum, state_at
from reference_impl.answer import NewRecord
from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    Header,
    Order,
    State,
    advance,
    frames,
)

FORMAT = "sqlite-wal"
SALTS = bytes.fromhex("1111111122222222")
OLDER_SALTS = bytes.fromhex("11111110abad1dea")


def image(page: int, text: str, page_size: int = 512) -> bytes:
    """Return a page image that repeats a text until the page is full.

    Page 1 begins like page 1 of an empty database in WAL mode, so that SQLite opens the database.
    """
    filled = (text.encode() * page_size)[:page_size]
    if page != 1:
        return filled
    stored_size = 1 if page_size == 65536 else page_size
    start = b"SQLite format 3\0" + struct.pack(">H6BI", stored_size, 2, 2, 0, 64, 32, 32, 1)
    start = start.ljust(44, b"\0") + struct.pack(">4I", 4, 0, 0, 1)
    # The page is an empty leaf page of a table, and its free space contains the text.
    start = start.ljust(100, b"\0") + struct.pack(">B3HB", 13, 0, 0, page_size & 0xFFFF, 0)
    return start + filled[len(start) :]


class SqliteLog(Log):
    """A SQLite log under construction. ``state`` is the checksum after its last frame or header."""

    def __init__(self, control: Contents, payloads: Sequence[bytes]) -> None:
        super().__init__(control, payloads, FORMAT)
        self.header = _header_in(bytes(self.data)) if self.data else None
        self.records: list[NewRecord] = []
        self.state: State = (0, 0)
        if self.header:
            self.state = self.header.checksum
            if self.whole_slots:
                self.state = self.checksum_of(self.whole_slots)

    def begin(
        self,
        page_size: int = 512,
        order: Order = "<",
        sequence: int = 0,
        salts: bytes = SALTS,
        version: int = 3007000,
    ) -> None:
        """Write the header of a log."""
        self.header = Header(order, page_size, sequence, salts, version)
        self.data[:HEADER_SIZE] = self.header.to_bytes()
        self.state = self.header.checksum

    def commit(self, *pages: tuple[int, str], db_pages: int) -> None:
        """Write a transaction from page numbers and the texts of their images."""
        made = [(page, self.image(page, text)) for page, text in pages]
        last = len(made) - 1
        self.add_frames(*((p, db_pages if n == last else 0, i) for n, (p, i) in enumerate(made)))
        payload = b"".join(one for _, one in made)
        self.payloads.append(payload)
        fields = {"pages": [page for page, _ in pages], "db_pages": db_pages}
        self.records.append(NewRecord(payload, fields))

    def spill(self, *pages: tuple[int, str]) -> None:
        """Write frames of a transaction that is not committed."""
        self.add_frames(*((page, 0, self.image(page, text)) for page, text in pages))

    def add_frames(self, *images: tuple[int, int, bytes]) -> None:
        """Write frames. Each has a page number, a database size and an image."""
        assert self.header is not None
        made, self.state = frames(images, self.header, self.state)
        self.data += made

    def image(self, page: int, text: str) -> bytes:
        """Return a page image with the page size of the log."""
        return image(page, text, self.slot_size - FRAME_HEADER_SIZE)

    @property
    def slot_size(self) -> int:
        """Return the size of a slot in bytes."""
        assert self.header is not None
        return FRAME_HEADER_SIZE + self.header.page_size

    @property
    def whole_slots(self) -> int:
        """Return the number of whole slots."""
        return (len(self.data) - HEADER_SIZE) // self.slot_size

    def at(self, slot: int) -> int:
        """Return the offset of a slot. Slots are numbered from 1."""
        return HEADER_SIZE + (slot - 1) * self.slot_size

    def slot(self, number: int) -> bytes:
        """Return the bytes of a slot."""
        return bytes(self.data[self.at(number) : self.at(number + 1)])

    def checksum_of(self, number: int) -> State:
        """Return the checksum that a slot stores, or the checksum of the header for slot 0."""
        return state_at(self.data, self.at(number) + 16 if number else 24)

    def replace(self, number: int, slot: bytes) -> None:
        """Overwrite a slot with other bytes."""
        assert len(slot) == self.slot_size
        self.overwrite(self.at(number), slot)

    def reseal_from(self, first: int) -> None:
        """Recompute the checksums from a slot on, after a change to the bytes that they cover."""
        at, checksums = checksums_from(bytes(self.data), self.at(first), self.slot_size)
        self.overwrite(at, checksums)
        self.state = self.checksum_of(self.whole_slots)

    def reseal_header(self) -> None:
        """Recompute only the checksum of the header."""
        at, checksum = header_checksum(bytes(self.data))
        self.overwrite(at, checksum)

    def to_write(self) -> list[NewRecord]:
        """Return the records with their fields."""
        return self.records

    def append_pages(self, *pages: tuple[int, str], db_pages: int, page_size: int = 512) -> None:
        """Add a transaction to the records to append."""
        payload = b"".join(image(page, text, page_size) for page, text in pages)
        fields = {"pages": [page for page, _ in pages], "db_pages": db_pages}
        self.to_append.append(NewRecord(payload, fields))


def _header_in(data: bytes) -> Header | None:
    """Return the header at the start of a control, or None if it is not valid."""
    if len(data) < HEADER_SIZE:
        return None
    order: Order = ">" if data[3] & 1 else "<"
    header = Header(
        order,
        int.from_bytes(data[8:12], "big"),
        int.from_bytes(data[12:16], "big"),
        data[16:24],
        int.from_bytes(data[4:8], "big"),
    )
    return header if header.to_bytes() == data[:HEADER_SIZE] else None


BOOK: Book[SqliteLog] = Book(FORMAT, SqliteLog, ".db-wal")
APPENDING = BOOK.group("appending")
BAD_TAIL = BOOK.group("bad-tail")
BOUNDARIES = BOOK.group("boundaries")
CHECKSUM = BOOK.group("checksum")
FRAMES = BOOK.group("frames")
HEADER = BOOK.group("header")
LAYOUT = BOOK.group("layout")
LINKS = BOOK.group("links")
LOST_HEADER = BOOK.group("lost-header")
PADDING = BOOK.group("padding")
PAGE_SIZE = BOOK.group("page-size")
REFUSED = BOOK.group("refused")
SALTS_GROUP = BOOK.group("salts")
STALE = BOOK.group("stale")
TAIL_AFTER_DAMAGE = BOOK.group("tail-after-damage")
TORN_TAIL = BOOK.group("torn-tail")
UNCOMMITTED = BOOK.group("uncommitted")
UNWRITTEN = BOOK.group("unwritten")
VALUES = BOOK.group("values")
WRITING = BOOK.group("writing")
WRITING_REFUSED = BOOK.group("writing-refused")


def forge_checksum(
    state: State, page: int, db_pages: int, page_image: bytes, order: Order
) -> bytes:
    """Return an image whose last 8 bytes give its frame the checksum (0, 0)."""
    return forge_image(state, page, db_pages, page_image, (0, 0), order)


def forge_image(
    state: State, page: int, db_pages: int, page_image: bytes, wanted: State, order: Order
) -> bytes:
    """Return an image whose last 8 bytes give its frame a checksum."""
    first, second = advance(state, struct.pack(">2I", page, db_pages) + page_image[:-8], order)
    x = wanted[0] - first - second
    y = wanted[1] - second - wanted[0]
    return page_image[:-8] + struct.pack(f"{order}2I", x & 0xFFFFFFFF, y & 0xFFFFFFFF)


def older_generation(frame_count: int, salts: bytes = OLDER_SALTS) -> bytes:
    """Return an older log of one-frame transactions, with different salts."""
    older = SqliteLog(b"", [])
    older.begin(salts=salts)
    for number in range(frame_count):
        older.commit((number + 1, f"older {number}, "), db_pages=frame_count)
    return bytes(older.data)
