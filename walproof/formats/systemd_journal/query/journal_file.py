"""Open a journal file and read its entries one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from reference_impl.answer import End, Lost, Record
from reference_impl.systemd_journal import inspection, layout
from reference_impl.systemd_journal.export_format import BOOT_ID
from reference_impl.systemd_journal.loading import load
from reference_impl.systemd_journal.objects import MAX_FIELD_SIZE, View
from reference_impl.systemd_journal.reader import Examination, examine
from walproof.formats import plugin_for
from walproof.formats.systemd_journal.boot_ids import ID
from walproof.summary.model import WORTH_A_KERNEL

FORMAT = "systemd-journal"
#: Size of the largest payload that is cached.
MAX_KEPT_BYTES = 1 << 10
#: Offset of the number of entries in a DATA object, in bytes; used as a hint only.
_COUNT_PLACE = 56
_SELECTIONS = frozenset({"match", "from_seqnum", "from_realtime"})


class JournalFile:
    """The entries of a file in file order, its lost ranges and its verdict.

    A file without a complete header has no entries. Raises ``OSError`` and ``BadKey``.
    """

    view: View

    def __init__(
        self,
        name: str,
        path: Path,
        profile: str = "recover",
        context: Mapping[str, Any] = {},
    ) -> None:
        self.name = name
        self._data = load(path)
        self._payloads: dict[int, bytes] = {}
        self._data_objects: Sequence[int] = ()
        self._field_objects: Sequence[int] = ()
        self.header: layout.Header | None = None
        size = len(self._data)
        head = self._data[: layout.HEADER_FULL]
        header = layout.parse_header(head) if size >= layout.HEADER_MIN else None
        is_large = _used_bytes(size, header) >= WORTH_A_KERNEL
        if not (is_large and profile == "recover" and self._scan(context)):
            self._examine(examine(self._data, profile, context))
        self._sound: frozenset[int] = frozenset(self._data_objects)
        if self.header is not None:
            max_field = int(context.get("max_field_size", MAX_FIELD_SIZE))
            self.view = View(self._data, self.header, max_field)

    def _examine(self, examined: Examination) -> None:
        self.lost: Sequence[Lost] = examined.lost
        self.end: End = examined.end
        self._entries: Sequence[int] = examined.entries
        if (inspection := examined.inspection) is not None:
            self.header = inspection.view.header
            self._given: Mapping[int, int] = inspection.links.given
            self._data_objects = list(inspection.walk.sound(layout.DATA))
            self._field_objects = list(inspection.walk.sound(layout.FIELD))

    def _scan(self, context: Mapping[str, Any]) -> bool:
        """Check a file with the scanner; return False if it is not intact or numba is missing."""
        if _SELECTIONS & context.keys() or not plugin_for(FORMAT).has_scanner:
            return False
        from walproof.formats.systemd_journal.scanner.intact import check_file

        file = check_file(self._data, context)
        if file is None:
            return False
        self.header, self.lost, self.end = file.header, (), End("intact", None, file.end)
        self._entries, self._given = file.entries.tolist(), {}
        self._data_objects = file.offsets[file.of_kind(layout.DATA)].tolist()
        self._field_objects = file.offsets[file.of_kind(layout.FIELD)].tolist()
        return True

    def entries(self) -> Iterator[JournalEntry]:
        """Return the entries that a reader returns, in file order."""
        for at in self._entries:
            yield JournalEntry(self, at)

    def items(self, at: int) -> list[int]:
        """Return the valid DATA of the entry at an offset, in stored order, with repetitions."""
        sound = self._sound
        items = islice(self.view.items(at), self._given.get(at))
        return [item for item in items if item in sound]

    def payload(self, item: int) -> bytes:
        """Return ``FIELD=value`` of a valid DATA object."""
        if (known := self._payloads.get(item)) is not None:
            return known
        payload = bytes(self.view.payload(item))
        # Only a field of several entries is worth the memory.
        if len(payload) <= MAX_KEPT_BYTES and self.view.number(item + _COUNT_PLACE) > 1:
            self._payloads[item] = payload
        return payload

    def values(self, name: bytes) -> Iterator[bytes]:
        """Return all values of a field, newest first."""
        for at in reversed(self._data_objects):
            own_name, _, value = bytes(self.view.payload(at)).partition(b"=")
            if own_name == name:
                yield value

    def names(self) -> Iterator[bytes]:
        """Return the names of all fields, in file order (SDJ-014)."""
        for at in self._field_objects:
            yield _name(self.view, at)

    def record(self, at: int) -> Record:
        """Return the entry at an offset as the executable specification does."""
        return inspection.make_record(self.view, at, self.items(at))


def _name(view: View, field: int) -> bytes:
    start = field + layout.FIXED_SIZE[layout.FIELD]
    return bytes(view.data[start : field + view.object_size(field)])


class JournalEntry:
    """An entry: its numbers, and its fields on demand. Times are in microseconds."""

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
        """Return the id of the source of the sequence number."""
        return self.file.view.header.seqnum_id

    @property
    def cursor(self) -> str:
        """Return the cursor, which identifies this entry across files (SDJ-063)."""
        return inspection.cursor(self.file.view.header, self.file.view.entry(self.at))

    def payloads(self) -> Iterator[bytes]:
        """Return ``FIELD=value`` of each readable field, in stored order."""
        return map(self.file.payload, self.file.items(self.at))

    @property
    def is_missing_fields(self) -> bool:
        """Return whether some fields cannot be read."""
        return len(self.file.items(self.at)) < self.file.view.n_items(self.at)

    def boot(self) -> bytes:
        """Return the boot id in hexadecimal, from the field ``_BOOT_ID`` if it exists.

        Only the field has a hash.
        """
        for payload in self.payloads():
            if payload.startswith(BOOT_ID) and ID.fullmatch(payload, len(BOOT_ID)):
                return payload[len(BOOT_ID) :]
        return self.boot_id.hex().encode()

    def record(self) -> Record:
        """Return the entry as the executable specification does."""
        return self.file.record(self.at)


def _used_bytes(size: int, header: layout.Header | None) -> int:
    """Return the bytes of a file up to its last object; the rest is free space."""
    tail = header.tail_object_offset if header is not None else 0
    return tail if 0 < tail < size else size
