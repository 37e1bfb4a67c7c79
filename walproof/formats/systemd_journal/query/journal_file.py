"""One journal file whose entries can be looked at one at a time, and printed or left out.

The scanner examines a large file, the executable specification a small one: both return the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Lost, Record
from reference_impl.systemd_journal import inspection, layout
from reference_impl.systemd_journal.export_format import BOOT_ID, export_field
from reference_impl.systemd_journal.loading import load
from reference_impl.systemd_journal.objects import MAX_FIELD_SIZE, View
from reference_impl.systemd_journal.reader import Examination, examine
from walproof.formats import plugin_for
from walproof.formats.systemd_journal.boot_ids import ID
from walproof.formats.systemd_journal.quick_hash import QuickView
from walproof.summary.model import WORTH_A_KERNEL

FORMAT = "systemd-journal"
MAX_KEPT_BYTES = 1 << 10
"""Size of the largest payload that is kept in memory."""
_COUNT_PLACE = 56
"""Offset of the number of entries in a DATA, in bytes: here only a hint."""
_SELECTIONS = frozenset({"match", "from_seqnum", "from_realtime"})


class JournalFile:
    """The entries of one file in file order, its lost ranges and its verdict.

    ``header`` is None for a file without a whole header, which has no entries and no ``view``.

    ``name`` is the name for the user, ``total_bytes`` the size of all files that are read with
    this one. Raises ``OSError``, and ``BadKey`` for a key in ``context``
    that is none.
    """

    view: View

    def __init__(
        self,
        name: str,
        path: Path,
        profile: str = "recover",
        context: Mapping[str, Any] = {},
        total_bytes: int = 0,
    ) -> None:
        self.name = name
        self._data = load(path)
        self._payloads: dict[int, bytes] = {}
        self._exported: dict[int, bytes] = {}
        self._data_objects: Sequence[int] = ()
        self._field_objects: Sequence[int] = ()
        self.header: layout.Header | None = None
        size = len(self._data)
        head = self._data[: layout.HEADER_FULL]
        header = layout.parse_header(head) if size >= layout.HEADER_MIN else None
        is_large = max(total_bytes, used_bytes(size, header)) >= WORTH_A_KERNEL
        if not (is_large and profile == "recover" and self._scan(context)):
            self._examine(examine(self._data, profile, context, QuickView))
        self._sound: frozenset[int] = frozenset(self._data_objects)
        if self.header is not None:
            max_field = int(context.get("max_field_size", MAX_FIELD_SIZE))
            self.view = View(self._data, self.header, max_field)

    def _examine(self, examined: Examination) -> None:
        self.lost: Sequence[Lost] = examined.lost
        self.end: End = examined.end
        self._entries: Sequence[int] = examined.entries
        if (found := examined.inspection) is not None:
            self.header = found.view.header
            self._given: Mapping[int, int] = found.links.given
            self._data_objects = list(found.walk.sound(layout.DATA))
            self._field_objects = list(found.walk.sound(layout.FIELD))

    def _scan(self, context: Mapping[str, Any]) -> bool:
        """Examine a file with the scanner; False where it cannot be, or without numba."""
        if _SELECTIONS & context.keys() or len(self._data) < layout.HEADER_MIN:
            return False
        if not plugin_for(FORMAT).has_scanner or inspection.refusal(self._data) is not None:
            return False
        header = layout.parse_header(self._data[: layout.HEADER_FULL])
        if header.header_size > len(self._data):
            return False
        from walproof.formats.systemd_journal.scanner import constants
        from walproof.formats.systemd_journal.scanner.inspection import Unusual, inspect

        try:
            found = inspect(self._data, header, context)
        except Unusual:
            return False
        self.header = header
        self.lost, self.end = found.lost(), found.end()
        objects = found.objects
        self._entries = objects.offsets[found.released()].tolist()
        limited = (found.given >= 0).nonzero()[0]
        places = objects.offsets[limited].tolist()
        self._given = dict(zip(places, found.given[limited].tolist(), strict=True))
        self._data_objects = objects.offsets[objects.of_kind(constants.DATA)].tolist()
        self._field_objects = objects.offsets[objects.of_kind(constants.FIELD)].tolist()
        return True

    def entries(self) -> Iterator[JournalEntry]:
        """The entries that a reader returns, in file order."""
        for at in self._entries:
            yield JournalEntry(self, at)

    def items(self, at: int) -> list[int]:
        """The sound DATA of the entry at an offset, in stored order; some may be repeated."""
        sound = self._sound
        items = islice(self.view.items(at), self._given.get(at))
        return [item for item in items if item in sound]

    def is_shared(self, item: int) -> bool:
        """Return whether a DATA counts several entries: it is then worth to keep what it holds."""
        return self.view.number(item + _COUNT_PLACE) > 1

    def exported(self, item: int) -> bytes:
        """A sound DATA in the Journal Export Format; nothing for ``_BOOT_ID``."""
        if (known := self._exported.get(item)) is not None:
            return known
        payload = bytes(self.view.payload(item))
        text = b"" if payload.startswith(BOOT_ID) else export_field(payload)
        if len(text) <= MAX_KEPT_BYTES and self.is_shared(item):
            self._exported[item] = text
        return text

    def payload(self, item: int) -> bytes:
        """``FIELD=value`` of a sound DATA."""
        if (known := self._payloads.get(item)) is not None:
            return known
        payload = bytes(self.view.payload(item))
        if len(payload) <= MAX_KEPT_BYTES and self.is_shared(item):
            self._payloads[item] = payload
        return payload

    def values(self, name: bytes) -> Iterator[bytes]:
        """Every value of a field, newest first. Other values are not read unless compressed."""
        prefix = name + b"="
        for at in reversed(self._data_objects):
            start = at + self.view.header.data_fixed
            is_compressed = self._data[at + 1] & layout.OBJECT_COMPRESSED
            if is_compressed or self._data[start : start + len(prefix)] == prefix:
                payload = bytes(self.view.payload(at))
                if payload.startswith(prefix):
                    yield payload[len(prefix) :]

    def names(self) -> Iterator[bytes]:
        """The names of all fields, in file order (SDJ-014)."""
        for at in self._field_objects:
            yield _name(self.view, at)

    def record(self, at: int) -> Record:
        """The entry at an offset, as the executable specification returns it."""
        return inspection.make_record(self.view, at, self.items(at))


def read_indexed_names(path: Path) -> list[bytes] | None:
    """The names of all fields of a file by its hash table, without reading a value.

    Return None if the table is missing or does not lead to as many sound FIELDs as the header
    counts. Raises ``OSError``.
    """
    data = load(path)
    if len(data) < layout.HEADER_MIN or inspection.refusal(data) is not None:
        return None
    header = layout.parse_header(data[: layout.HEADER_FULL])
    start, size = header.field_hash_table_offset, header.field_hash_table_size
    if not header.has("n_fields") or not size or start + size > len(data):
        return None
    view, found = View(data, header), set()
    for at, _ in view.buckets(start, size):
        before = 0
        while at > before and view.framed_type(at) == layout.FIELD and at not in found:
            if view.number(at + 16) != view.hash(_name(view, at)):
                return None
            found.add(at)
            before, at = at, view.number(at + 24)
        if at:
            return None
    if len(found) != header.n_fields:
        return None
    return [_name(view, at) for at in sorted(found)]


def _name(view: View, field: int) -> bytes:
    start = field + layout.FIXED_SIZE[layout.FIELD]
    return bytes(view.data[start : field + view.object_size(field)])


class JournalEntry:
    """One entry: its numbers, and its fields on demand. Times are in microseconds."""

    __slots__ = ("at", "boot_id", "file", "monotonic", "realtime", "seqnum", "xor_hash")

    def __init__(self, file: JournalFile, at: int) -> None:
        self.file, self.at = file, at
        fixed = layout.ENTRY_FIXED.unpack_from(file.view.data, at + layout.OBJECT_SIZE)
        self.seqnum: int = fixed[0]
        self.realtime: int = fixed[1]
        self.monotonic: int = fixed[2]
        self.boot_id: bytes = fixed[3]
        self.xor_hash: int = fixed[4]

    @property
    def seqnum_id(self) -> bytes:
        """Id of the source of the sequence number."""
        return self.file.view.header.seqnum_id

    @property
    def cursor(self) -> str:
        """The text that names this entry across files (SDJ-063)."""
        return inspection.cursor(self.file.view.header, self.file.view.entry(self.at))

    def payloads(self) -> Iterator[bytes]:
        """``FIELD=value`` of each field that can be read, in stored order."""
        return map(self.file.payload, self.file.items(self.at))

    @property
    def is_missing_fields(self) -> bool:
        """Return whether some of its fields cannot be read."""
        return len(self.file.items(self.at)) < self.file.view.n_items(self.at)

    def exported(self) -> tuple[bytes, list[bytes]]:
        """The boot, and each other field that can be read in the Journal Export Format."""
        items = self.file.items(self.at)
        fields = list(map(self.file.exported, items))
        for item, field in zip(items, fields, strict=True):
            if not field:
                boot = self.file.payload(item)[len(BOOT_ID) :]
                if ID.fullmatch(boot):
                    return boot, fields
        return self.boot_id.hex().encode(), fields

    def boot(self) -> bytes:
        """The boot in hexadecimal: by the hashed field ``_BOOT_ID``, where the entry has it.

        The copy of it in the entry has no checksum: a crash may leave it half written.
        """
        boot, _ = self.exported()
        return boot

    def record(self) -> Record:
        """The entry as the executable specification returns it."""
        return self.file.record(self.at)


def used_bytes(size: int, header: layout.Header | None) -> int:
    """The bytes of a file up to its last object: what follows is space for more."""
    tail = header.tail_object_offset if header is not None else 0
    return tail if 0 < tail < size else size
