"""Open a journal file and read its entries one at a time."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference_impl.answer import End, Record
from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import Inspection, cursor
from reference_impl.systemd_journal.loading import load
from reference_impl.systemd_journal.objects import Fault
from reference_impl.systemd_journal.reader import Examination, examine
from walproof.formats import plugin_for
from walproof.formats.systemd_journal.boot_ids import BOOT_FIELD, ID_PLACE
from walproof.summary.model import WORTH_A_KERNEL

if TYPE_CHECKING:
    from walproof.formats.systemd_journal.scanner.intact import Intact

FORMAT = "systemd-journal"
#: Size of the largest payload that is cached.
MAX_KEPT_BYTES = 1 << 10
#: Offset in a DATA object of its number of entries, in bytes. The number serves only as a hint.
_COUNT_PLACE = 56


class JournalFile:
    """The entries of a file in file order, its lost ranges and its verdict.

    A file without a complete header has no entries. Raises ``OSError`` and ``BadKey``.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        profile: str = "recover",
        context: Mapping[str, Any] = {},
    ) -> None:
        self.name = name
        data = load(path)
        intact = _check_if_large(data, context) if profile == "recover" else None
        if intact is None:
            examined = examine(data, profile, context)
        else:
            inspection, end = intact.inspection, End("intact", None, intact.walk.end)
            examined = Examination(inspection, inspection.entries, (), end)
        self._may_contradict = intact is None or intact.has_contradictions()
        self._entries, self.lost, self.end = examined.entries, examined.lost, examined.end
        self.is_readable = examined.inspection is not None
        self._inspection = examined.inspection
        self._payloads: dict[int, bytes] = {}

    @property
    def inspection(self) -> Inspection:
        """Return the inspection of a readable file."""
        assert self._inspection is not None
        return self._inspection

    def entries(self) -> Iterator[JournalEntry]:
        """Yield the entries that a reader with this profile returns, in file order."""
        for at in self._entries:
            yield JournalEntry(self, at)

    def contradictions(self) -> Iterator[Fault]:
        """Yield a fault for each entry whose boot id differs from its hashed field ``_BOOT_ID``.

        A crash may leave the boot id in the ENTRY half written (systemd#29334).
        """
        for at in self.inspection.entries if self._may_contradict else ():
            entry = JournalEntry(self, at)
            stored, hashed = entry.boot_id.hex(), entry.boot().decode()
            if hashed != stored:
                text = f"boot id {stored} in an ENTRY with _BOOT_ID={hashed}"
                yield Fault(at + ID_PLACE, at + ID_PLACE + 16, "bad-entry", "SDJ-015", text)

    def payload(self, item: int) -> bytes:
        """Return ``FIELD=value`` of a valid DATA object."""
        if (known := self._payloads.get(item)) is not None:
            return known
        view = self.inspection.view
        payload = bytes(view.payload(item))
        # To save memory, cache only fields that several entries share.
        if len(payload) <= MAX_KEPT_BYTES and view.number(item + _COUNT_PLACE) > 1:
            self._payloads[item] = payload
        return payload

    def values(self, name: bytes) -> Iterator[bytes]:
        """Yield all values of a field, newest first."""
        if self.is_readable:
            for at in [*self.inspection.walk.sound(layout.DATA)][::-1]:
                own_name, _, value = bytes(self.inspection.view.payload(at)).partition(b"=")
                if own_name == name:
                    yield value

    def names(self) -> Iterator[bytes]:
        """Yield the names of all fields, in file order (SDJ-014)."""
        if self.is_readable:
            view = self.inspection.view
            for at in self.inspection.walk.sound(layout.FIELD):
                start = at + layout.FIXED_SIZE[layout.FIELD]
                yield bytes(view.data[start : at + view.object_size(at)])


class JournalEntry:
    """An entry with its numbers. Its fields are read on demand, and times are in microseconds."""

    __slots__ = ("at", "boot_id", "file", "monotonic", "realtime", "seqnum", "xor_hash")

    seqnum: int
    realtime: int
    monotonic: int
    boot_id: bytes
    xor_hash: int

    def __init__(self, file: JournalFile, at: int) -> None:
        self.file, self.at = file, at
        fixed = layout.ENTRY_FIXED.unpack_from(file.inspection.view.data, at + layout.OBJECT_SIZE)
        self.seqnum, self.realtime, self.monotonic, self.boot_id, self.xor_hash = fixed

    @property
    def seqnum_id(self) -> bytes:
        """Return the id of the source of the sequence number."""
        return self.file.inspection.view.header.seqnum_id

    @property
    def cursor(self) -> str:
        """Return the cursor, which identifies this entry across files (SDJ-063)."""
        view = self.file.inspection.view
        return cursor(view.header, view.entry(self.at))

    def payloads(self) -> Iterator[bytes]:
        """Return an iterator over the readable fields as ``FIELD=value``, in stored order."""
        return map(self.file.payload, self.file.inspection.items(self.at))

    @property
    def is_missing_fields(self) -> bool:
        """Return whether some fields cannot be read."""
        return self.file.inspection.is_missing_fields(self.at)

    def boot(self) -> bytes:
        """Return the boot id in hexadecimal, preferably from ``_BOOT_ID``, which has a hash."""
        for payload in self.payloads():
            if match := BOOT_FIELD.fullmatch(payload):
                return match[1]
        return self.boot_id.hex().encode()

    def record(self) -> Record:
        """Return the record that the executable specification returns for the entry."""
        return self.file.inspection.record(self.at)


def _check_if_large(data: mmap.mmap | bytes, context: Mapping[str, Any]) -> Intact | None:
    """Return the objects of a large intact file; None for any other file, or without numba."""
    used = len(data)
    if used >= layout.HEADER_MIN:  # the space after the last object is free
        used = min(used, layout.parse_header(data[: layout.HEADER_FULL]).tail_object_offset or used)
    if used < WORTH_A_KERNEL or not plugin_for(FORMAT).has_scanner:
        return None
    from walproof.formats.systemd_journal.scanner.intact import check_file

    return check_file(data, context)
