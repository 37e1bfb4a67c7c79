"""Parse the pages of a SQLite database: b-tree pages, their cells, and records.

Upstream authority: sqlite/sqlite ``src/btree.c`` (``btreeParseCellPtr``, ``getPageN``),
``src/vdbeaux.c`` (``sqlite3VdbeSerialGet``), sqlite.org ``fileformat2.html`` sections 1.3 to 2.3.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reference_impl.answer import Record
from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE
from walproof.decode.fault import Incomplete, Undecodable
from walproof.decode.signed import signed

#: A value of a column. Bytes are a BLOB, or TEXT that is invalid in the encoding of the database.
Value = None | int | float | str | bytes
PageType = Literal["table leaf", "table interior", "index leaf", "index interior"]

MAGIC = b"SQLite format 3\0"
DB_HEADER_SIZE = 100
PAGE_TYPES: dict[int, PageType] = {
    2: "index interior",
    5: "table interior",
    10: "index leaf",
    13: "table leaf",
}
ENCODINGS = {1: "utf-8", 2: "utf-16-le", 3: "utf-16-be"}

_HEADER = struct.Struct(">BHHHB")
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_REAL = 7
_RESERVED = (10, 11)


@dataclass(frozen=True, slots=True)
class DatabaseHeader:
    """The fields of the first 100 bytes of a database that this package uses."""

    #: Size of a page in bytes, or 0 if the stored value is invalid.
    page_size: int
    reserved: int
    encoding: str
    #: True if both versions are 2 (WAL mode), False if both are 1 (rollback mode), else None.
    is_wal: bool | None
    change_counter: int
    freelist: int

    @classmethod
    def of(cls, page: bytes) -> DatabaseHeader | None:
        """Parse the start of page 1; return None if it is not the header of a database."""
        if len(page) < DB_HEADER_SIZE or not page.startswith(MAGIC):
            return None
        size = int.from_bytes(page[16:18], "big")
        size = 65536 if size == 1 else size
        is_valid = 512 <= size <= 65536 and not size & (size - 1)
        versions = {bytes((1, 1)): False, bytes((2, 2)): True}
        return cls(
            size if is_valid else 0,
            page[20],
            ENCODINGS.get(_u4(page, 56), "utf-8"),
            versions.get(page[18:20]),
            _u4(page, 24),
            _u4(page, 32),
        )


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a b-tree page."""

    #: None in an index page.
    rowid: int | None
    size: int
    #: The part of the payload that is stored in the page.
    local: bytes
    #: First overflow page with the rest of the payload; 0 if the page stores the whole payload.
    overflow: int
    #: Left child of a cell in an interior page; 0 in a leaf.
    child: int


@dataclass(frozen=True, slots=True)
class Page:
    """A b-tree page. ``right_child`` is 0 in a leaf."""

    type: PageType
    cells: Sequence[Cell]
    right_child: int

    @property
    def children(self) -> list[int]:
        """Return the page numbers of the children in key order."""
        return [cell.child for cell in self.cells] + [self.right_child] if self.right_child else []

    @property
    def has_rows(self) -> bool:
        """Return whether the cells have payloads, as on all pages except interior table pages."""
        return self.type != "table interior"


def page_size_of(record: Record) -> int:
    """Return the size of the pages of a transaction."""
    return record.size // len(record.fields["pages"]) - FRAME_HEADER_SIZE


def images_of(record: Record) -> list[tuple[int, bytes]]:
    """Return the page number and the image of each frame of a transaction."""
    page_size = page_size_of(record)
    return [
        (number, record.payload[index * page_size : (index + 1) * page_size])
        for index, number in enumerate(record.fields["pages"])
    ]


def parse_page(image: bytes, number: int, reserved: int = 0) -> Page:
    """Parse the image of a b-tree page. Raises ``Undecodable``.

    ``reserved`` is the number of unused bytes at the end of each page.
    """
    start = DB_HEADER_SIZE if number == 1 else 0
    usable = len(image) - reserved
    if usable < start + 12:
        raise Incomplete(f"page {number}: expected a page header, found {len(image)} bytes")
    flags, _, count, _, _ = _HEADER.unpack_from(image, start)
    if flags not in PAGE_TYPES:
        raise Undecodable(f"page {number}: expected a b-tree page, found type {flags}")
    page_type = PAGE_TYPES[flags]
    is_leaf, is_table = page_type.endswith("leaf"), page_type.startswith("table")
    pointers = start + (8 if is_leaf else 12)
    content = pointers + 2 * count
    if content > usable:
        raise Undecodable(f"page {number}: {count} cells do not fit in {usable} bytes")
    offsets = struct.unpack_from(f">{count}H", image, pointers)
    cells = []
    spans = []
    for offset in offsets:
        if not content <= offset < usable:
            raise Undecodable(
                f"page {number}: expected cells from {content} to {usable}, found one at {offset}"
            )
        cell, end = _cell(image, offset, usable, is_leaf, is_table)
        spans.append((offset, end))
        cells.append(cell)
    spans.sort()
    for (_, end), (offset, _) in itertools.pairwise(spans):
        if offset < end:
            raise Undecodable(f"page {number}: cells overlap at {offset}")
    right_child = 0 if is_leaf else _u4(image, start + 8)
    return Page(page_type, cells, right_child)


def _cell(image: bytes, at: int, usable: int, is_leaf: bool, is_table: bool) -> tuple[Cell, int]:
    """Parse the cell at an offset; return it with the offset of its end."""
    child = 0
    if not is_leaf:
        if at + 4 > usable:
            raise Incomplete(f"at {at}: the page ends inside a cell")
        child = _u4(image, at)
        at += 4
        if is_table:
            rowid, at = varint(image, at, usable)
            return Cell(signed(rowid), 0, b"", 0, child), at
    size, at = varint(image, at, usable)
    number = None
    if is_table:
        rowid, at = varint(image, at, usable)
        number = signed(rowid)
    local = local_size(size, usable, is_table)
    end = at + local + (4 if local < size else 0)
    if end > usable:
        raise Incomplete(f"at {at}: the page ends inside a cell")
    overflow = _u4(image, at + local) if local < size else 0
    return Cell(number, size, image[at : at + local], overflow, child), end


def read_payload(
    cell: Cell,
    owner: tuple[int, int],
    image_of: Callable[[int], bytes],
    reserved: int,
    owners: MutableMapping[int, tuple[int, int]],
) -> tuple[bytes, int | None]:
    """Return the payload of a cell, and the number of an invalid overflow page or None.

    An overflow page is invalid if it does not exist, or was read before for this or another cell.
    The payload ends before an invalid page. ``owners`` maps each overflow page that was read to the
    page and the number of its cell. The overflow pages of this cell are added to ``owners``.
    """
    if not cell.overflow:
        return cell.local, None
    pieces, chain = [cell.local], set[int]()
    missing, number = cell.size - len(cell.local), cell.overflow
    while missing > 0:
        image = image_of(number)
        is_there = len(image) >= 5 + reserved
        if not is_there or number in chain or owners.setdefault(number, owner) != owner:
            return b"".join(pieces), number
        chain.add(number)
        pieces.append(image[4 : len(image) - reserved][:missing])
        missing -= len(pieces[-1])
        number = int.from_bytes(image[:4], "big")
    return b"".join(pieces), None


def local_size(size: int, usable: int, is_table: bool) -> int:
    """Return the number of payload bytes in a cell; the other bytes are in overflow pages."""
    most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
    if size <= most:
        return size
    least = (usable - 12) * 32 // 255 - 23
    local = least + (size - least) % (usable - 4)
    return local if local <= most else least


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and the offset after it. Raises ``Incomplete``."""
    if at < end and data[at] < 0x80:
        return data[at], at + 1
    value = 0
    for position in range(at, min(at + 8, end)):
        byte = data[position]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, position + 1
    if at + 9 > end:
        raise Incomplete(f"at {at}: unterminated varint")
    return value << 8 | data[at + 8], at + 9


def record_values(data: bytes, encoding: str, most: int) -> tuple[list[Value], bool]:
    """Decode a record; return its values and whether ``data`` is complete.

    Raises ``Undecodable`` if the record is invalid or has more than ``most`` values.
    """
    header_size, at = varint(data, 0, len(data))
    if header_size < at:
        raise Undecodable(f"expected a header of {at} bytes or more, found {header_size}")
    body = header_size
    end = min(header_size, len(data))
    values: list[Value] = []
    while at < end:
        if len(values) == most:
            raise Undecodable(f"more than {most:,} values")
        try:
            serial_type, at = varint(data, at, end)
        except Incomplete:
            if header_size <= len(data):
                raise
            return values, False
        if serial_type in _RESERVED:
            raise Undecodable(f"expected a serial type, found {serial_type}, which is reserved")
        size = content_size(serial_type)
        if body + size > len(data):
            return values, False
        values.append(_value(serial_type, data[body : body + size], encoding))
        body += size
    return values, header_size <= len(data)


def content_size(serial_type: int) -> int:
    """Return the number of bytes of a value in the body of a record."""
    if serial_type >= 12:
        return (serial_type - 12) // 2
    return 8 if serial_type == _REAL else _INTEGER_BYTES.get(serial_type, 0)


def _value(serial_type: int, content: bytes, encoding: str) -> Value:
    if serial_type >= 12:
        if serial_type % 2 == 0:
            return content
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            return content
    if serial_type == 0:
        return None
    if serial_type == _REAL:
        number: float = struct.unpack(">d", content)[0]
        return None if number != number else number  # SQLite reads NaN as NULL
    if serial_type in (8, 9):
        return serial_type - 8
    return int.from_bytes(content, "big", signed=True)


def _u4(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")
