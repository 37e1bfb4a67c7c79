"""Hostile logs of SQLite."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping

from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE, HEADER_SIZE, Header, frames
from walproof.formats.sqlite_wal.pages import local_size

NAME = "database-wal"
PAGE_SIZE = 512
SALTS = b"hostile!"
#: The smallest part of a long record that a leaf stores itself, in bytes.
SHORT_LOCAL = 39
_HEADER = Header("<", PAGE_SIZE, 0, SALTS)


def _log(size: int) -> bytearray:
    """Return a log of transactions of one page each."""
    images = [
        (1 + number % 5, 5, struct.pack(">Q", number) * (PAGE_SIZE // 8))
        for number in range(_count(size))
    ]
    made, _ = frames(images, _HEADER, _HEADER.checksum)
    return bytearray(_HEADER.to_bytes() + made)


def _slots(log: bytearray) -> range:
    return range(HEADER_SIZE, len(log), FRAME_HEADER_SIZE + PAGE_SIZE)


def many_generations(size: int) -> bytes:
    """Return a log in which each slot has different salts."""
    log = bytearray(small_transactions(size))
    for number, at in enumerate(_slots(log)[1:]):
        log[at + 8 : at + 16] = struct.pack(">Q", number)
    return bytes(log)


def padding_after_damage(size: int) -> bytes:
    """Return a damaged commit frame, followed by slots that each repeat it without the damage."""
    count = max(4, size // (FRAME_HEADER_SIZE + PAGE_SIZE))
    images = [(1, 1, bytes(PAGE_SIZE))] * count
    log = bytearray(_HEADER.to_bytes() + frames(images, _HEADER, _HEADER.checksum)[0])
    log[HEADER_SIZE + FRAME_HEADER_SIZE] ^= 1
    return bytes(log)


def small_transactions(size: int) -> bytes:
    """Return a log with a record for each slot."""
    return bytes(_log(size))


def salts_without_links(size: int) -> bytes:
    """Return a log without a header whose slots have equal salts, but no slot continues another."""
    log = _log(size)
    log[:HEADER_SIZE] = bytes(HEADER_SIZE)
    for at in _slots(log):
        log[at + 16 : at + 24] = struct.pack(">Q", at)
    return bytes(log)


def deep_tail(size: int) -> bytes:
    """Return four current frames, followed by frames of an older generation."""
    older = Header("<", PAGE_SIZE, 0, b"older!!!")
    images = [(1 + n % 5, 5, struct.pack(">Q", n) * 64) for n in range(max(4, size // 536))]
    made, _ = frames(images, older, older.checksum)
    return bytes(_log(4)) + made[4 * (FRAME_HEADER_SIZE + PAGE_SIZE) :]


# Logs that cost the decoder of rows much time or memory.


def _transactions(transactions: Iterable[Mapping[int, bytes]], page_size: int = PAGE_SIZE) -> bytes:
    """Return a log of transactions, each given as its pages by number."""
    header = Header("<", page_size, 0, SALTS)
    images = [
        (number, 9999 if number == list(pages)[-1] else 0, image.ljust(page_size, b"\0"))
        for pages in transactions
        for number, image in pages.items()
    ]
    return header.to_bytes() + frames(images, header, header.checksum)[0]


def _leaf(*cells: bytes, page_size: int = PAGE_SIZE, start: bytes = b"") -> bytes:
    """Return a table leaf with its cells at the end; ``start`` comes before the page header."""
    ends = [page_size - sum(map(len, cells[: n + 1])) for n in range(len(cells))]
    head = struct.pack(">BHHHB", 13, 0, len(cells), ends[-1] if ends else 0, 0)
    head = start + head + b"".join(end.to_bytes(2, "big") for end in ends)
    return head.ljust(ends[-1] if ends else page_size, b"\0") + b"".join(reversed(cells))


def _interior(*children: int) -> bytes:
    """Return an interior page of a table; the last child is the rightmost child."""
    *others, right = children
    cells = b"".join(struct.pack(">IB", child, n) for n, child in enumerate(others))
    at = PAGE_SIZE - len(cells)
    head = struct.pack(">BHHHBI", 5, 0, len(others), at, 0, right)
    head += b"".join(struct.pack(">H", at + 5 * n) for n in range(len(others)))
    return head.ljust(at, b"\0") + cells


def _head(freelist: int = 0, counter: int = 0) -> bytes:
    """Return the first 100 bytes of a database."""
    head = b"SQLite format 3\0" + struct.pack(">H6B", PAGE_SIZE, 2, 2, 0, 64, 32, 32)
    return (head + struct.pack(">IIII", counter, 9999, freelist, 0)).ljust(100, b"\0")


def _varint(number: int) -> bytes:
    """Return a number as a varint of nine bytes."""
    rest = number >> 8
    return bytes(0x80 | rest >> 7 * n & 0x7F for n in range(7, -1, -1)) + bytes([number & 0xFF])


def _table(name: str, root: int, sql: bytes) -> bytes:
    """Return the cell of a table in the schema."""
    values = [b"table", name.encode(), name.encode(), root.to_bytes(2, "big"), sql]
    types = [13 + 2 * len(each) for each in values]
    types[3] = 2
    header = b"".join(map(_varint, types))
    record = bytes([1 + len(header)]) + header + b"".join(values)
    return _varint(len(record)) + b"\1" + record


def _schema(freelist: int = 0, counter: int = 0) -> bytes:
    """Return page 1 with the schema of one table, whose root is page 2."""
    cell = _table("t", 2, b"CREATE TABLE t(a, b)")
    return _leaf(cell, start=_head(freelist, counter))


def _count(size: int) -> int:
    return max(4, size // (FRAME_HEADER_SIZE + PAGE_SIZE))


def _long_cell(overflow: int, claimed: int = 100 << 20) -> bytes:
    """Return a cell that claims a record in a chain of overflow pages."""
    local = local_size(claimed, PAGE_SIZE, True)
    record = _varint(10) + _varint(13 + 2 * (claimed - 10))
    return (
        _varint(claimed) + b"\1" + record.ljust(local, b"x")[:local] + overflow.to_bytes(4, "big")
    )


def ring_of_interior_pages(size: int) -> bytes:
    """Return a b-tree whose pages are children of each other; each transaction adds a page."""
    pages = range(2, _count(size))
    rings = ({page: _interior(page + 1, 2, page, page - 1)} for page in pages)
    return _transactions([{1: _schema()}, *rings])


def overflow_page_of_itself(size: int) -> bytes:
    """Return rows whose overflow page refers to itself as the next page."""
    pages = ({2: _leaf(_long_cell(3)), 3: struct.pack(">I", 3)} for _ in range(_count(size) // 2))
    return _transactions([{1: _schema()}, *pages])


def chain_of_overflow_pages(size: int) -> bytes:
    """Return a row on many overflow pages, and transactions that each write its leaf again."""
    count = _count(size) // 2
    chain = {n: struct.pack(">I", n + 1) + bytes([n % 256]) * 508 for n in range(3, count)}
    claimed = 508 * len(chain)
    rewrites = (
        {2: _leaf(_long_cell(3, claimed), b"\4\2\2\2" + n.to_bytes(2, "big"))} for n in range(count)
    )
    return _transactions([{1: _schema(), **chain}, *rewrites])


def cells_of_one_overflow_page(size: int) -> bytes:
    """Return a page whose rows all claim the same overflow chain."""
    cells = [_long_cell(3, SHORT_LOCAL + 508 * 1000)] * 6
    pages = ({2: _leaf(*cells), 3: struct.pack(">I", 4)} for _ in range(size // 1072))
    return _transactions([{1: _schema()}, *pages])


def ring_of_free_pages(size: int) -> bytes:
    """Return a freelist that leads back into itself, and writes to a possible overflow page."""
    trunks = {n: struct.pack(">II", n + 1 if n < 20 else 9, 1 << 31) for n in range(9, 21)}
    pages = ({30: struct.pack(">IQ", 0, n)} for n in range(_count(size)))
    return _transactions([{1: _schema(9), **trunks, 30: b""}, *pages])


def long_freelist(size: int) -> bytes:
    """Return a freelist of many pages, and transactions that may write overflow pages."""
    count = _count(size) // 2
    trunks = {n: struct.pack(">II", n + 1, 0) for n in range(9, count)}
    pages = ({5: struct.pack(">IQ", 0, n)} for n in range(count))
    return _transactions([{1: _schema(9), 5: b"", **trunks}, *pages])


def large_schema_again_and_again(size: int) -> bytes:
    """Return a schema of many pages, and transactions that each change page 1."""
    count = _count(size) // 2
    sql = b"CREATE TABLE t(a, b) -- " + b"x" * 300
    leaves = {n: _leaf(_table(f"t{n}", 2, sql)) for n in range(100, 100 + count)}
    numbers = list(leaves)
    groups = [numbers[at : at + 60] for at in range(0, len(numbers), 60)]
    interior = {10 + n: _interior(*group) for n, group in enumerate(groups)}
    root = b"".join(struct.pack(">IB", child, n) for n, child in enumerate(interior))
    pages = []
    for n in range(count):
        at = PAGE_SIZE - len(root)
        head = _head(counter=n) + struct.pack(">BHHHBI", 5, 0, len(interior), at, n % 256, 10)
        head += b"".join(struct.pack(">H", at + 5 * each) for each in range(len(interior)))
        pages.append({1: head.ljust(at, b"\0") + root})
    return _transactions([{**leaves, **interior, **pages[0]}, *pages[1:]])


def varints_without_end(size: int) -> bytes:
    """Return cells in which no varint ends."""
    page = struct.pack(">BHHHB", 13, 0, 50, 108, 0)
    page += b"".join(struct.pack(">H", 108 + 8 * n) for n in range(50))
    pages = ({2: page.ljust(PAGE_SIZE, b"\xff"), 3: bytes([n % 256])} for n in range(size // 1072))
    return _transactions([{1: _schema()}, *pages])


def values_of_no_bytes(size: int) -> bytes:
    """Return rows of NULLs only, with one byte for each NULL."""
    record = _varint(449) + bytes(440)
    cell = _varint(len(record)) + b"\1" + record
    pages = ({2 + n % 2: _leaf(cell)} for n in range(_count(size)))
    return _transactions([{1: _schema()}, *pages])


def schema_of_100_megabytes(size: int) -> bytes:
    """Return a schema whose only statement claims 100 MB."""
    pages = (
        {1: _leaf(_long_cell(3), start=_head(counter=n))[:PAGE_SIZE], 3: struct.pack(">I", 4)}
        for n in range(_count(size) // 2)
    )
    return _transactions(pages)


LOGS = (
    many_generations,
    padding_after_damage,
    small_transactions,
    salts_without_links,
    deep_tail,
    ring_of_interior_pages,
    overflow_page_of_itself,
    chain_of_overflow_pages,
    cells_of_one_overflow_page,
    ring_of_free_pages,
    long_freelist,
    large_schema_again_and_again,
    varints_without_end,
    values_of_no_bytes,
    schema_of_100_megabytes,
)
