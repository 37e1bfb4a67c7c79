"""Read a database before and after each transaction of its log: pages, b-trees, tables and rows.

Upstream authority: sqlite.org ``fileformat2.html`` sections 1 and 2; sqlite/sqlite ``src/btree.c``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reference_impl.sqlite_wal.layout import FRAME_HEADER_SIZE, FrameHeader, Slots
from reference_impl.sqlite_wal.opening import NoHeader, Refused, open_log
from walproof.decode.fault import Undecodable
from walproof.formats.sqlite_wal.operations.schema import SCHEMA, Table
from walproof.formats.sqlite_wal.pages import (
    DB_HEADER_SIZE,
    PAGE_TYPES,
    Cell,
    DatabaseHeader,
    Value,
    parse_page,
    read_payload,
    record_values,
)

#: Type and children of a page.
Node = tuple[str, tuple[int, ...]]
#: A page that is not part of a readable b-tree.
_NO_NODE: Node = ("", ())
#: Maximum columns of a table in SQLite.
_MAX_COLUMNS = 32767


class StoredPages:
    """The pages of a database file, updated by earlier transactions of the log.

    ``size`` is the number of pages, or 0 if it is unknown.
    """

    #: Maximum number of reads for each page on average, because a small transaction in a forged
    #: database can read all pages.
    READS_PER_PAGE = 64

    def __init__(
        self, database: Path | None, log: Path, page_size: int, is_untouched: bool
    ) -> None:
        """Open the pages; ``is_untouched`` is true if no frame was copied into the database."""
        self.database, self.log, self.page_size = database, log, page_size
        self.size = database.stat().st_size // page_size if database is not None else 0
        self._reads_left = self.READS_PER_PAGE * (self.size + log.stat().st_size // page_size)
        self._offsets: dict[int, int] = {}
        #: A cache for :class:`Snapshot`.
        self.nodes: dict[int, Node] = {}
        self._copied: frozenset[int] = frozenset()
        if database is not None and not is_untouched:
            self._copied = frozenset(self._find_copied())

    def read(self, number: int) -> bytes:
        """Return a page; no bytes if it does not exist. Raises ``OSError``."""
        self._reads_left -= 1
        if number in self._offsets:
            return _read(self.log, self._offsets[number], self.page_size)
        if self.database is None or number < 1:
            return b""
        page = _read(self.database, (number - 1) * self.page_size, self.page_size)
        return page if len(page) == self.page_size else b""

    @property
    def is_exhausted(self) -> bool:
        """Return whether more pages were read than the limit allows."""
        return self._reads_left < 0

    def is_known(self, number: int) -> bool:
        """Return whether :meth:`read` returns the page as it was before the next transaction."""
        if number in self._offsets or (self.size and number > self.size):
            return True
        return self.database is not None and number not in self._copied

    def write(self, offsets: Mapping[int, int], size: int, nodes: Mapping[int, Node]) -> None:
        """Add the pages of a transaction: their offsets in the log, and the nodes read so far."""
        self._offsets |= offsets
        self.size = size
        for number in offsets:
            self.nodes.pop(number, None)
        self.nodes |= nodes

    def _find_copied(self) -> Iterator[int]:
        """Yield the database pages that equal an image in this generation of the log."""
        try:
            with self.log.open("rb") as file:
                size = self.log.stat().st_size
                opening = open_log(file, size)
                slots = Slots(file, size, self.page_size)
                for number in range(1, slots.count + 1):
                    slot = slots.data(number)
                    frame = FrameHeader.of(slot)
                    if (
                        frame.has_salts(opening.salts)
                        and self.read(frame.page) == (slot[FRAME_HEADER_SIZE:])
                    ):
                        yield frame.page
        except (Refused, NoHeader):
            return


def _read(path: Path, at: int, size: int) -> bytes:
    with path.open("rb", buffering=0) as file:
        file.seek(at)
        return file.read(size)


@dataclass(frozen=True, slots=True)
class Row:
    """A stored row: its rowid and its record."""

    rowid: int | None
    payload: bytes


class Snapshot:
    """The database before a transaction, or after the transaction with its ``changed`` pages."""

    def __init__(self, stored: StoredPages, changed: Mapping[int, bytes] | None = None) -> None:
        self.stored, self.changed = stored, changed or {}
        self.changed_nodes: dict[int, Node] = {}
        header = DatabaseHeader.of(self.image(1))
        self.encoding = header.encoding if header else "utf-8"
        self.reserved = header.reserved if header else 0
        self.header = header
        #: For each overflow page that was read, the page and the number of its cell.
        self.overflow: dict[int, tuple[int, int]] = {}

    def image(self, number: int) -> bytes:
        """Return a page; no bytes if it does not exist. Raises ``OSError``."""
        changed = self.changed.get(number)
        return self.stored.read(number) if changed is None else changed

    def node(self, number: int) -> Node:
        """Return type and children of a page; an empty type if it is not a b-tree page."""
        nodes = self.changed_nodes if number in self.changed else self.stored.nodes
        if number not in nodes:
            nodes[number] = self._node(number)
        return nodes[number]

    def _node(self, number: int) -> Node:
        image = self.image(number)
        start = DB_HEADER_SIZE if number == 1 else 0
        page_type = PAGE_TYPES.get(image[start]) if len(image) > start else None
        if page_type in ("table leaf", "index leaf"):
            return page_type, ()
        try:
            page = parse_page(image, number, self.reserved)
        except Undecodable:
            return _NO_NODE
        return page.type, tuple(page.children)

    def subtree(self, roots: Iterable[int]) -> Iterator[int]:
        """Yield the pages of the trees below ``roots``, each once."""
        waiting, seen = [*roots], set[int]()
        while waiting:
            number = waiting.pop()
            if number not in seen:
                seen.add(number)
                yield number
                waiting += self.node(number)[1]

    def links(self, root: int) -> Iterator[tuple[int, int]]:
        """Yield child and parent for all pages of a tree, without reading most of its leaves."""
        waiting, seen = [root], set[int]()
        while waiting:
            parent = waiting.pop()
            if parent in seen:
                continue
            seen.add(parent)
            children = self.node(parent)[1]
            for child in children:
                yield child, parent
            # All leaves of a b-tree have the same depth, so the first child is enough.
            if children and self.node(children[0])[1]:
                waiting += children

    def tables(self) -> dict[str, Table]:
        """Return the tables with b-trees by name; the schema itself comes first."""
        tables = {SCHEMA: Table(SCHEMA, 1, "")}
        for page in self.subtree([1]):
            for row in self.rows(page)[0]:
                match self.values(row):
                    case ["table", str(name), _, int(root), str(sql), *_] if root > 1:
                        tables[name] = Table(name, root, sql)
        return tables

    def rows(self, number: int) -> tuple[list[Row], str | None]:
        """Return the rows of a page, and the reason if some are missing."""
        rows: list[Row] = []
        try:
            page = parse_page(self.image(number), number, self.reserved)
            if page.has_rows:
                for index, cell in enumerate(page.cells):
                    rows.append(Row(cell.rowid, self._payload(cell, (number, index))))
        except Undecodable as fault:
            text = str(fault)
            return rows, text if text.startswith("page") else f"page {number}: {text}"
        return rows, None

    def values(self, row: Row) -> list[Value] | None:
        """Return the values of a row; None if its record is invalid."""
        try:
            values, is_complete = record_values(row.payload, self.encoding, _MAX_COLUMNS)
        except Undecodable:
            return None
        return values if is_complete else None

    def _payload(self, cell: Cell, place: tuple[int, int]) -> bytes:
        """Return the payload of a cell with its overflow pages. Raises ``Undecodable``."""
        payload, number = read_payload(cell, place, self.image, self.reserved, self.overflow)
        if number is not None:
            fault = "is used twice" if number in self.overflow else "does not exist"
            raise Undecodable(f"page {place[0]}: overflow page {number} {fault}")
        return payload

    def free_pages(self) -> set[int]:
        """Return the pages of the freelist."""
        free: set[int] = set()
        trunk = self.header.freelist if self.header else 0
        while trunk and trunk not in free:
            free.add(trunk)
            image = self.image(trunk)
            count = int.from_bytes(image[4:8], "big")
            leaves = image[8 : 8 + 4 * min(count, len(image) // 4)]
            free |= {int.from_bytes(leaves[at : at + 4], "big") for at in range(0, len(leaves), 4)}
            trunk = int.from_bytes(image[:4], "big")
        return free
