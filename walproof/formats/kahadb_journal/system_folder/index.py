"""Read the index of a KahaDB store: a page file with B-trees, and two companion files.

Upstream authority: apache/activemq ``kahadb/disk/page/PageFile.java``,
``kahadb/disk/index/BTreeNode.java``, ``kahadb/MessageDatabase.java``
(``StoredDestinationMarshaller``), ``kahadb/scheduler/JobSchedulerKahaDBMetaData.java``.
"""

from __future__ import annotations

import os
import struct
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from walproof.quoted import quoted

#: Size of the header of ``.data``, which contains a text twice, and of the header of ``.redo``.
HEADER_BYTES = 4096
_PAGE = struct.Struct(">Bqqi")  # type, transaction, next page or end of the content, unused
_FREE_PAGE, _PART, _END = range(3)
_REDO = struct.Struct(">qqi")  # next transaction, Adler-32 of the pages, number of pages
_LONG_BYTES, _INTEGER_BYTES = 8, 4
#: The key size that stands for text keys. Each text key begins with its own size.
_TEXT_KEY = 0
#: The UUID at the start of a scheduler index, written since 5.11.
SCHEDULER_TOKEN = bytes.fromhex("57ed642b1ee347b3be6db7297d500409")
_SHOWN_BYTES = 16
#: A page number higher than that of any page.
_NO_PAGE = 1 << 64


@dataclass
class Index:
    """The content of an index and the damage in its files."""

    #: The first fault of each file, by file name.
    faults: dict[str, str] = field(default_factory=dict)
    #: Whether the broker closed the index.
    is_clean: bool = False
    #: Position of the last journal record in the index: number of its data file, and offset.
    last_update: tuple[int, int] | None = None
    #: Number of pending messages or jobs in each data file; too low if ``.data`` has a fault.
    messages: Counter[int] = field(default_factory=Counter)
    #: Whether a scheduler index is from before 5.11; None for a message index, or if unknown.
    is_legacy: bool | None = None


class _BadPageError(Exception):
    """Raised for a page whose content does not match the reference to the page."""


def read_index(folder: Path, name: str) -> Index:
    """Read ``name.data`` and its ``.redo`` and ``.free`` files. Raises ``OSError``.

    Only ``.redo`` has a checksum, so changed values in the pages are not detected.
    """
    index = Index()
    data = folder / f"{name}.data"
    with data.open("rb") as file:
        header = _header(file.read(HEADER_BYTES), data.name, index)
        if header is None:
            return index
        page_bytes = int(header["pageSize"])
        index.is_clean = header.get("cleanShutdown") == "true"
        redone = {} if index.is_clean else _redo(folder / f"{name}.redo", page_bytes, index)
        pages = _Pages(file, page_bytes, redone)
        try:
            if pages.count:
                _walk(pages, name, index)
            pages.check_size()
        except _BadPageError as error:
            index.faults.setdefault(data.name, str(error))
    if index.is_clean:
        _check_free(folder / f"{name}.free", header, pages.seen, index)
    return index


def described(content: bytes) -> str:
    """Describe unexpected bytes, for example ``4,096 zeros``."""
    if not content:
        return "no bytes"
    if not content.strip(b"\0"):
        return f"{len(content):,} zeros"
    return str(quoted(content[:_SHOWN_BYTES]))


def _header(head: bytes, name: str, index: Index) -> Mapping[str, str] | None:
    """Return the properties in the last readable copy of the header; None if none is readable."""
    half = HEADER_BYTES // 2
    first, second = _properties(head[:half]), _properties(head[half:])
    for at, copy in ((0, first), (half, second)):
        if copy is None:
            found = described(head[at : at + half])
            text = f"expected a header with pageSize at {at:,}, found {found}"
            index.faults.setdefault(name, text)
    is_same = first and second and first.get("metaDataTxId") == second.get("metaDataTxId")
    if is_same and head[:half] != head[half:]:
        text = f"expected identical headers at 0 and {half:,}, found a difference"
        index.faults[name] = text
    return second or first


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


def _redo(path: Path, page_bytes: int, index: Index) -> dict[int, bytes]:
    """Return the pages of the last batch.

    At startup, a broker copies these pages to the index. If the broker was killed, the batch may
    have a wrong checksum. The index then contains none of the pages in the batch.
    """
    content = path.read_bytes() if path.is_file() else b""
    if len(content) in (0, HEADER_BYTES) and not content.strip(b"\0"):
        return {}  # no batch has been written yet
    _, checksum, count = _REDO.unpack_from(content.ljust(_REDO.size, b"\0"))
    size = max(0, count) * (page_bytes + _LONG_BYTES)
    batch = content[HEADER_BYTES : HEADER_BYTES + size]
    redone: dict[int, bytes] = {}
    actual = 1
    for at in range(0, len(batch), page_bytes + _LONG_BYTES):
        page = batch[at + _LONG_BYTES : at + _LONG_BYTES + page_bytes]
        redone[int.from_bytes(batch[at : at + _LONG_BYTES], signed=True)] = page
        actual = zlib.adler32(page, actual)
    if count <= 0:
        text = f"expected a batch of pages at 0, found {described(content)}"
    elif len(batch) < size:
        expected = f"expected {count:,} pages up to {HEADER_BYTES + size:,}"
        text = f"{expected}, found {len(content):,} bytes"
    elif not all(page.strip(b"\0") for page in redone.values()):
        text = f"expected {count:,} pages at {HEADER_BYTES:,}, found a page of zeros"
    elif min(redone) < 0:
        text = f"expected numbers of pages, found {min(redone):,}"
    else:
        return redone if actual == checksum else {}
    index.faults[path.name] = f"{text}. The index may contain half-written pages"
    return {}


def _check_free(path: Path, header: Mapping[str, str], used: set[int], index: Index) -> None:
    """Check the ranges of free pages, which a broker reads after a clean shutdown."""
    text = header.get("freePages", "")
    count = int(text) if text.isdecimal() else 0
    if not count:
        return
    expected = f"expected {count:,} ranges of free pages, found"
    if not path.is_file():
        if index.is_legacy:  # a broker rebuilds other indexes
            index.faults[path.name] = f"{expected} no file: a broker discards the index"
        return
    content = path.read_bytes()
    at, ranges = _INTEGER_BYTES, []
    while at < len(content):
        end = at + 1 + (2 * _LONG_BYTES if content[at] else _LONG_BYTES)
        pages = content[at + 1 : end]
        ranges.append(range(int.from_bytes(pages[:8]), int.from_bytes(pages[-8:]) + 1))
        at = end
    stored = int.from_bytes(content[:_INTEGER_BYTES])
    seen = [*sorted(used), _NO_PAGE]
    used_gap = next((gap for gap in ranges if seen[bisect_left(seen, gap.start)] in gap), None)
    if at > len(content):
        found = f"the end of the file at {len(content):,} within the last range"
    elif stored != count or len(ranges) != count or not all(ranges):
        found = f"{len(ranges):,} after the number {stored:,}"
    elif used_gap is not None:
        found = f"pages {used_gap.start:,} to {used_gap.stop - 1:,}, which are used"
    else:
        return
    effect = "a broker that trusts these ranges overwrites pages in use"
    index.faults[path.name] = f"{expected} {found}: {effect}"


class _Pages:
    """The pages of an index file by number."""

    def __init__(self, file: BinaryIO, page_bytes: int, redone: Mapping[int, bytes]) -> None:
        self._file, self._size = file.fileno(), os.fstat(file.fileno()).st_size
        self.page_bytes, self._redone = page_bytes, redone
        self.count = max(0, self._size - HEADER_BYTES) // page_bytes
        self.count = max(self.count, max(redone, default=-1) + 1)
        self.seen: set[int] = set()

    def check_size(self) -> None:
        """Raise ``_BadPageError`` for bytes after the last complete page."""
        number, cut = divmod(max(0, self._size - HEADER_BYTES), self.page_bytes)
        if cut and number not in self._redone:
            text = f"expected pages of {self.page_bytes:,} bytes, found {cut:,} bytes"
            raise _BadPageError(f"{text} at {self._size - cut:,}")

    def unexpected(self, number: int) -> _BadPageError:
        """Return the error for a page with unexpected content."""
        text = f"expected roots or keys in {self._place(number)}, found other content"
        return _BadPageError(text)

    def _place(self, number: int) -> str:
        return f"page {number:,} at {HEADER_BYTES + number * self.page_bytes:,}"

    def _at(self, number: int) -> bytes:
        if (page := self._redone.get(number)) is not None:
            return page
        at = HEADER_BYTES + number * self.page_bytes
        page = os.pread(self._file, self.page_bytes, at) if number >= 0 else b""
        if len(page) < self.page_bytes:
            end = f"the end of the file at {self._size:,}"
            raise _BadPageError(f"expected {self._place(number)}, found {end}")
        return page

    def content(self, number: int, is_root: bool = True) -> bytes:
        """Return the content that begins in a page and may continue in other pages.

        A tree whose root is a free page is empty. Raises ``_BadPageError``.
        """
        return b"".join(self._parts(number, is_root))

    def _parts(self, number: int, is_root: bool) -> Iterator[bytes]:
        while True:
            page = self._at(number)
            kind, _, follows, _ = _PAGE.unpack_from(page)
            if number in self.seen:
                text = f"expected {self._place(number)} once, found two references to it"
                raise _BadPageError(text)
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
                raise _BadPageError(f"expected {self._place(number)}, found {described(page)}")

    def leaves(self, root: int, key_bytes: int) -> Iterator[tuple[int, bytes, int]]:
        """Yield the leaves of a tree. Raises ``_BadPageError``.

        Each leaf is its number of keys, its content, and the offset of its values in the content.
        """
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
                is_inner = node[at] == 1
                if is_inner:
                    waiting += reversed(struct.unpack_from(f">{count + 1}q", node, at + 1))
            except (IndexError, struct.error):
                raise self.unexpected(number) from None
            if not is_inner:
                yield count, node, at + 1

    def look_at(self, root: int, key_bytes: int) -> None:
        """Check each page of a tree."""
        for _ in self.leaves(root, key_bytes):
            pass

    def look_at_list(self, head: int) -> None:
        """Check each page of a list. A node begins with the page number of the next node."""
        number = head
        while number >= 0 and (node := self.content(number, is_root=number == head)):
            number = int.from_bytes(node[:_LONG_BYTES], signed=True)


def _walk(pages: _Pages, name: str, index: Index) -> None:
    """Check all pages that can be reached from the first page. Raises ``_BadPageError``."""
    walk = _walk_jobs if name == "scheduleDB" else _walk_messages
    try:
        walk(pages, pages.content(0, is_root=False), index)
    except (IndexError, struct.error):
        raise pages.unexpected(0) from None


def _walk_jobs(pages: _Pages, first: bytes, index: Index) -> None:
    if len(first) == 2 * _LONG_BYTES:
        index.is_legacy = True
        schedulers, counts = struct.unpack(">qq", first)
    elif not first.startswith(SCHEDULER_TOKEN):
        raise pages.unexpected(0)
    else:
        index.is_legacy = False
        at = len(SCHEDULER_TOKEN) + _INTEGER_BYTES
        index.last_update, at = _location(first, at)
        schedulers, counts, removals = struct.unpack_from(">qqq", first, at)
        pages.look_at(removals, _INTEGER_BYTES)
    # The tree ``counts`` maps the number of each journal file to its number of jobs.
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
    """Return an optional location, and the offset after it."""
    if not content[at]:
        return None, at + 1
    file, offset = struct.unpack_from(">ii", content, at + 1)
    return (file, offset), at + 1 + 2 * _INTEGER_BYTES


def _long(content: bytes, at: int) -> int:
    value: int = struct.unpack_from(">q", content, at)[0]
    return value
