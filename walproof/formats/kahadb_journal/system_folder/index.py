"""Read the index of a KahaDB store: a page file with B-trees, and two companion files.

Upstream authority: apache/activemq ``kahadb/disk/page/PageFile.java`` (``.data``, ``.redo``,
``.free``), ``kahadb/disk/index/BTreeNode.java``, ``kahadb/MessageDatabase.java``
(``StoredDestinationMarshaller``), ``kahadb/scheduler/JobSchedulerKahaDBMetaData.java``.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from walproof.quoted import quoted

#: Size of the header of ``.data``, two copies of a text, and of the header of ``.redo``.
HEADER_BYTES = 4096
_PAGE = struct.Struct(">Bqqi")  # type, transaction, next page or end of the content, unused
_FREE_PAGE, _PART, _END = range(3)
_REDO = struct.Struct(">qqi")  # next transaction, Adler-32 of the pages, number of pages
_LONG_BYTES, _INTEGER_BYTES = 8, 4
#: Size of a key that is text: its own size comes first.
_TEXT_KEY = 0
#: The UUID with which the index of a scheduler begins since 5.11.
SCHEDULER_TOKEN = bytes.fromhex("57ed642b1ee347b3be6db7297d500409")
_SHOWN_BYTES = 16


@dataclass
class Index:
    """The content of an index and the damage in its files.

    ``faults`` describes the damage in each file. ``doubts`` describes states that a killed broker
    can also leave. ``is_clean`` is true if the broker closed the index. ``last_update`` is the
    position of the last journal record in the index: the number of its data file and its offset.
    ``messages`` is the number of pending messages in each data file. ``is_legacy`` is None if the
    index does not store a version.
    """

    faults: dict[str, list[str]] = field(default_factory=dict)
    doubts: dict[str, list[str]] = field(default_factory=dict)
    is_clean: bool = False
    last_update: tuple[int, int] | None = None
    messages: Counter[int] = field(default_factory=Counter)
    is_legacy: bool | None = None

    def add_fault(self, file: str, text: str) -> None:
        """Add a message about damage of a file."""
        self.faults.setdefault(file, []).append(text)

    def add_doubt(self, file: str, text: str) -> None:
        """Add a message about a state that a killed broker can also leave."""
        self.doubts.setdefault(file, []).append(text)


class _BadPageError(Exception):
    """A page whose content does not match the reference to it."""


def read_index(folder: Path, name: str) -> Index:
    """Read ``name.data`` and its ``.redo`` and ``.free`` files. Raises ``OSError``.

    Every page that a broker may read is checked. Only ``.redo`` has a checksum, so changed values
    in the pages are not detected.
    """
    index = Index()
    data = folder / f"{name}.data"
    with data.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        header = _header(file.read(HEADER_BYTES), data.name, index)
        if header is None:
            return index
        page_bytes = int(header["pageSize"])
        index.is_clean = header.get("cleanShutdown") == "true"
        redo = _redo(folder / f"{name}.redo", page_bytes, index)
        free: list[range] = []
        pages = _Pages(file, data.name, page_bytes, index)
        if index.is_clean:
            if redo and header.get("lastTxId") == str(redo[0] - 1):
                _compare(pages, redo[1], index)
            free = _free(folder / f"{name}.free", header, index)
        elif redo:
            _redo_pages(pages, redo[1], index)
        cut = max(0, size - HEADER_BYTES) % page_bytes
        if cut and (size - HEADER_BYTES) // page_bytes not in pages.redone:
            text = f"expected pages of {page_bytes:,} bytes, found {cut:,} bytes at {size - cut:,}"
            index.add_fault(data.name, text)
        if pages.count:
            _walk(pages, name, index)
        if used := next((gap for gap in free if any(page in gap for page in pages.seen)), None):
            text = f"expected free pages, found {used.start:,} to {used.stop - 1:,}, which are used"
            index.add_fault(f"{name}.free", text)
    return index


def described(content: bytes) -> str:
    """Describe unexpected bytes, for example ``4,096 zeros``."""
    if not content:
        return "no bytes"
    if not content.strip(b"\0"):
        return f"{len(content):,} zeros"
    return str(quoted(content[:_SHOWN_BYTES]))


def _header(head: bytes, name: str, index: Index) -> Mapping[str, str] | None:
    """Return the properties of the first readable copy of the header; None without one."""
    half = HEADER_BYTES // 2
    copies = [_properties(head[:half]), _properties(head[half:])]
    if b"\r\n" in head[:half] and copies[0]:
        index.add_fault(name, "CRLF line ends: the file was converted as text")
        return None
    if not any(copies):
        index.add_fault(name, f"expected a header with pageSize at 0, found {described(head)}")
        return None
    for at, copy in zip((0, half), copies, strict=True):
        if copy is None:
            part = head[at : at + half]
            index.add_fault(name, f"expected a copy of the header at {at:,}, found {_odd(part)}")
    first, second = copies
    if first and second and head[:half] != head[half:]:
        if first.get("metaDataTxId") == second.get("metaDataTxId"):
            index.add_fault(
                name, f"expected identical headers at 0 and {half:,}, found a difference"
            )
        return second
    return first or second


def _odd(part: bytes) -> str:
    """Describe an unreadable header by the zeros at its end or by its first bytes."""
    zeros = len(part) - len(part.rstrip(b"\0"))
    return f"{zeros:,} zeros at its end" if zeros and part.strip(b"\0") else described(part)


def _properties(text: bytes) -> dict[str, str] | None:
    """Return the properties in a copy of the header; None if the copy is incomplete."""
    pairs = (line.partition("=") for line in text.decode("latin-1").splitlines())
    properties = {key: value for key, is_pair, value in pairs if is_pair}
    is_whole = len(text) == HEADER_BYTES // 2 and not text.count(0)
    is_named = properties.get("fileType", "").endswith(".PageFile")
    size = properties.get("pageSize", "")
    if not is_whole or not is_named or not size.isdecimal() or int(size) <= _PAGE.size:
        return None
    return properties


def _redo(path: Path, page_bytes: int, index: Index) -> tuple[int, dict[int, bytes]] | None:
    """Return the transaction and the pages of the last valid batch; None if there is none."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(HEADER_BYTES)
        if size in (0, HEADER_BYTES) and not head.strip(b"\0"):
            return None  # no batch has been written yet
        transaction, checksum, count = _REDO.unpack_from(head.ljust(HEADER_BYTES, b"\0"))
        expected = HEADER_BYTES + count * (page_bytes + _LONG_BYTES)
        is_head = count > 0 and 0 <= checksum < 1 << 32 and not head[_REDO.size :].strip(b"\0")
        if size < HEADER_BYTES or not is_head:
            index.add_fault(path.name, f"expected a batch of pages at 0, found {described(head)}")
            return None
        if size < expected:
            text = f"expected {count:,} pages up to {expected:,}, found {size:,} bytes"
            index.add_fault(path.name, text)
            return None
        batch = file.read(expected - HEADER_BYTES)
    redone: dict[int, bytes] = {}
    actual = 1
    for at in range(0, len(batch), page_bytes + _LONG_BYTES):
        page = batch[at + _LONG_BYTES : at + _LONG_BYTES + page_bytes]
        if not page.strip(b"\0"):
            text = (
                f"expected a page at {HEADER_BYTES + at + _LONG_BYTES:,}, found {described(page)}"
            )
            index.add_fault(path.name, text)
            return None
        redone[int.from_bytes(batch[at : at + _LONG_BYTES], signed=True)] = page
        actual = zlib.adler32(page, actual)
    if actual != checksum:
        text = f"expected pages with the checksum {checksum:08x}, found {actual:08x}"
        if index.is_clean:
            index.add_fault(path.name, text)
        else:
            more = "a killed broker may leave this, in which case nothing is lost"
            index.add_doubt(path.name, f"{text}: {more}")
        return None
    if min(redone) < 0:
        index.add_fault(path.name, f"expected numbers of pages, found {min(redone):,}")
        return None
    return transaction, redone


def _compare(pages: _Pages, redone: Mapping[int, bytes], index: Index) -> None:
    """Find pages of a closed index that differ from its last batch."""
    for number, page in redone.items():
        if number < pages.count and pages.at(number) != page:
            text = f"expected page {number:,} at {pages.offset(number):,} as in .redo, found other"
            index.add_fault(pages.name, f"{text} content: {described(pages.at(number))}")


def _redo_pages(pages: _Pages, redone: Mapping[int, bytes], index: Index) -> None:
    """Apply the pages of the last batch to the index, as a broker does at startup."""
    for number in sorted(redone):
        try:
            what = described(pages.at(number)) if not pages.at(number).strip(b"\0") else None
        except _BadPageError:
            what = "the end of the file"
        if what:
            text = f"expected page {number:,} at {pages.offset(number):,}, found {what}"
            more = ".redo has it, and a broker rewrites it at startup"
            index.add_doubt(pages.name, f"{text}: {more}")
    pages.redone = redone
    pages.count = max(pages.count, max(redone) + 1)


def _free(path: Path, header: Mapping[str, str], index: Index) -> list[range]:
    """Return the ranges of free pages that a broker reads at startup."""
    text = header.get("freePages", "")
    count = int(text) if text.isdecimal() else 0
    if not count:
        return []
    expected = f"expected {count:,} ranges of free pages, found"
    if not path.is_file():
        text = f"{expected} no file: a broker discards the index"
        index.add_doubt(path.name, text)
        return []
    content = path.read_bytes()
    if int.from_bytes(content[:_INTEGER_BYTES]) != count:
        index.add_fault(path.name, f"{expected} {described(content)}")
        return []
    at, ranges = _INTEGER_BYTES, []
    while at < len(content):
        pages = content[at + 1 : at + 1 + (2 * _LONG_BYTES if content[at] else _LONG_BYTES)]
        first, last = int.from_bytes(pages[:_LONG_BYTES]), int.from_bytes(pages[-_LONG_BYTES:])
        if content[at] > 1 or len(pages) % _LONG_BYTES or first > last or not pages:
            break
        ranges.append(range(first, last + 1))
        at += 1 + len(pages)
    if len(ranges) != count or at != len(content):
        index.add_fault(path.name, f"{expected} {len(ranges):,} up to {at:,}")
    return ranges


class _Pages:
    """The pages of an index file by number; unreadable ones become faults."""

    def __init__(self, file: BinaryIO, name: str, page_bytes: int, index: Index) -> None:
        self._file, self._size = file.fileno(), os.fstat(file.fileno()).st_size
        self.name, self.page_bytes, self._index = name, page_bytes, index
        self.count = max(0, self._size - HEADER_BYTES) // page_bytes
        self.redone: Mapping[int, bytes] = {}
        self.seen: set[int] = set()

    def offset(self, number: int) -> int:
        """Return the offset of a page."""
        return HEADER_BYTES + number * self.page_bytes

    def at(self, number: int) -> bytes:
        """Return a page with its header."""
        if (page := self.redone.get(number)) is not None:
            return page
        if number < 0 or self.offset(number + 1) > self._size:
            raise _BadPageError(
                f"expected page {number:,} at {self.offset(number):,}, found the end of the file"
                f" at {self._size:,}"
            )
        page = os.pread(self._file, self.page_bytes, self.offset(number))
        if len(page) < self.page_bytes:
            raise _BadPageError(f"expected page {number:,}, found that the file became shorter")
        return page

    def content(self, number: int, is_root: bool = True) -> bytes | None:
        """Return the content that begins in a page; None after a fault.

        A free page as root means an empty tree.
        """
        try:
            return b"".join(self._parts(number, is_root))
        except _BadPageError as error:
            self._index.add_fault(self.name, str(error))
            return None

    def _parts(self, number: int, is_root: bool) -> Iterator[bytes]:
        while True:
            page = self.at(number)
            kind, _, follows, _ = _PAGE.unpack_from(page)
            place = f"expected page {number:,} at {self.offset(number):,}"
            if number in self.seen:
                raise _BadPageError(f"{place} once, found two references to it")
            self.seen.add(number)
            if kind == _FREE_PAGE and is_root and page.strip(b"\0"):
                return
            if kind == _PART:
                yield page[_PAGE.size :]
                number, is_root = follows, False
            elif kind == _END and _PAGE.size <= follows <= self.page_bytes:
                yield page[_PAGE.size : follows]
                return
            else:
                is_zero = not page.strip(b"\0")
                what = described(page) if is_zero or kind else "a free page"
                raise _BadPageError(f"{place}, found {what}")

    def leaves(self, root: int, key_bytes: int) -> Iterator[tuple[int, bytes, int]]:
        """Yield the number of keys, the content and the end of the keys of each leaf of a tree."""
        waiting = [root]
        while waiting:
            number = waiting.pop()
            node = self.content(number, is_root=number == root)
            if not node:
                continue
            try:
                count = int.from_bytes(node[:2])
                at = 2 + count * key_bytes
                if key_bytes == _TEXT_KEY:
                    for _ in range(count):
                        at += 2 + int.from_bytes(node[at : at + 2])
                if node[at] == 1:
                    waiting += reversed(struct.unpack_from(f">{count + 1}q", node, at + 1))
                else:
                    yield count, node, at + 1
            except (IndexError, struct.error):
                self.fault(number)

    def look_at(self, root: int, key_bytes: int) -> None:
        """Check each page of a tree."""
        for _ in self.leaves(root, key_bytes):
            pass

    def look_at_list(self, head: int) -> None:
        """Check each page of a list; a node begins with the page number of the next."""
        number = head
        while number >= 0 and (node := self.content(number, is_root=number == head)):
            number = int.from_bytes(node[:_LONG_BYTES], signed=True)

    def fault(self, number: int) -> None:
        """Record that a page does not have the expected content."""
        at = self.offset(number)
        text = f"expected roots or keys in page {number:,} at {at:,}, found other content"
        self._index.add_fault(self.name, text)


def _walk(pages: _Pages, name: str, index: Index) -> None:
    """Check all pages that can be reached from the first."""
    first = pages.content(0, is_root=False)
    if first is None:
        return
    try:
        if name == "db":
            _walk_messages(pages, first, index)
        elif name == "scheduleDB":
            _walk_jobs(pages, first, index)
        else:
            pages.look_at(_long(first, 0), _TEXT_KEY)
    except (IndexError, struct.error):
        pages.fault(0)


def _walk_jobs(pages: _Pages, first: bytes, index: Index) -> None:
    if len(first) == 2 * _LONG_BYTES:
        index.is_legacy = True
        schedulers, counts = struct.unpack(">qq", first)
    elif not first.startswith(SCHEDULER_TOKEN):
        pages.fault(0)
        return
    else:
        index.is_legacy = False
        at = len(SCHEDULER_TOKEN) + _INTEGER_BYTES
        index.last_update, at = _location(first, at)
        schedulers, counts, removals = struct.unpack_from(">qqq", first, at)
        pages.look_at(removals, _INTEGER_BYTES)
    # Number of jobs in each journal file.
    for keys, leaf, values in pages.leaves(counts, _INTEGER_BYTES):
        for number in range(keys):
            (file,) = struct.unpack_from(">i", leaf, 2 + number * _INTEGER_BYTES)
            (jobs,) = struct.unpack_from(">i", leaf, values + number * _INTEGER_BYTES)
            index.messages[file] += jobs
    for count, leaf, at in pages.leaves(schedulers, _TEXT_KEY):
        for _ in range(count):
            at += 2 + int.from_bytes(leaf[at : at + 2])
            pages.look_at(_long(leaf, at), _LONG_BYTES)
            at += _LONG_BYTES


def _walk_messages(pages: _Pages, first: bytes, index: Index) -> None:
    _, destinations = struct.unpack_from(">iq", first)
    index.last_update, at = _location(first, _INTEGER_BYTES + _LONG_BYTES)
    _, at = _location(first, at)
    version = 1
    if at < len(first):
        _, at = _location(first, at)
        version = int.from_bytes(first[at : at + 4]) if at < len(first) else 1
    location_bytes = 12 if version >= 6 else 8
    for count, leaf, at in pages.leaves(destinations, _TEXT_KEY):
        for _ in range(count):
            order, locations, ids = struct.unpack_from(">qqq", leaf, at)
            at += 3 * _LONG_BYTES
            is_topic, at = leaf[at], at + 1
            if is_topic:
                for _ in range(2):  # subscriptions and their acknowledgements
                    pages.look_at(_long(leaf, at), _TEXT_KEY)
                    at += _LONG_BYTES
                if version == 3:
                    pages.look_at(_long(leaf, at), _LONG_BYTES)
                    at += _LONG_BYTES
                for _ in range(min(version, 5) - 3):
                    pages.look_at_list(_long(leaf, at))
                    at += _LONG_BYTES
            if version >= 2:
                for root in struct.unpack_from(">qq", leaf, at):
                    pages.look_at(root, _LONG_BYTES)
                at += 2 * _LONG_BYTES
            if version >= 7:
                pages.content(_long(leaf, at))
                at += _LONG_BYTES
            pages.look_at(order, _LONG_BYTES)
            pages.look_at(ids, _TEXT_KEY)
            for keys, node, _ in pages.leaves(locations, location_bytes):
                for begin in range(2, 2 + keys * location_bytes, location_bytes):
                    index.messages[int.from_bytes(node[begin : begin + 4], signed=True)] += 1


def _location(content: bytes, at: int) -> tuple[tuple[int, int] | None, int]:
    """Read an optional location; return it and the offset of the bytes after it."""
    if not content[at]:
        return None, at + 1
    file, offset = struct.unpack_from(">ii", content, at + 1)
    return (file, offset), at + 1 + 2 * _INTEGER_BYTES


def _long(content: bytes, at: int) -> int:
    value: int = struct.unpack_from(">q", content, at)[0]
    return value
