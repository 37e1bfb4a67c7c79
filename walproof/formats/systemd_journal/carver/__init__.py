"""Find journal files in a disk image by their signature, and objects without a file header."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reference_impl.systemd_journal import layout
from reference_impl.systemd_journal.inspection import refusal
from walproof.carve import base
from walproof.carve.image import SECTOR
from walproof.carve.model import Certainty, Find, Loose, Pattern
from walproof.carve.reading import as_file, read_file
from walproof.formats.systemd_journal.carver import objects

FORMAT = "systemd-journal"
HEADER = 0
#: Maximum bytes read of a journal file; systemd's own limit is usually lower.
LARGEST = 1 << 30


def _data(compression: int, peeks: tuple[int, ...] = ()) -> Pattern:
    value = bytes([layout.DATA, compression]) + bytes(14)
    mask = b"\xff" * 8 + b"\0\0\0\0" + b"\xff" * 4
    return Pattern(value, mask, peeks=peeks, among=objects.FIRST_LETTERS)


class Carver(base.Carver):
    """See :class:`walproof.carve.base.Carver`."""

    patterns: Sequence[Pattern] = (
        Pattern(layout.SIGNATURE),
        # The start of a DATA object: type, flags, zeros, and a size below 2^32. The field name
        # after the fixed part distinguishes the object from similar bytes in executables.
        _data(0, (objects.REGULAR, objects.COMPACT)),
        _data(layout.OBJECT_XZ),
        _data(layout.OBJECT_LZ4),
        _data(layout.OBJECT_ZSTD),
    )

    def find(self, at: int, pattern: int) -> Find | None:
        """See :class:`walproof.carve.base.Carver`."""
        if pattern == HEADER:
            return self._file(at)
        return self._objects(at) if objects.may_begin(self.image, at) else None

    def records(self, at: int, end: int) -> Iterator[Loose]:
        """See :class:`walproof.carve.base.Carver`.

        The entries of each run come first, then its fields without an entry.
        """
        while at < end:
            run = objects.run_at(self.image, at, end) if objects.may_begin(self.image, at) else None
            if run is None:
                at += 8 - at % 8 if at % 8 else 8
                continue
            yield from objects.records(self.image, run)
            at = max(run[-1].end, at + 8)

    def is_of(self, log: int, at: int, end: int) -> bool:
        """See :class:`walproof.carve.base.Carver`. The key of a keyed hash is the file id."""
        header = layout.parse_header(self.image.read(log, layout.HEADER_FULL))
        run = objects.run_at(self.image, at, end) if header.keyed else None
        return run is not None and objects.has_key(self.image, run, header.file_id)

    def _file(self, at: int) -> Find | None:
        head = self.image.read(at, layout.HEADER_FULL)
        if len(head) < layout.HEADER_MIN or refusal(head) is not None:
            return Find(at, at + len(layout.SIGNATURE), "loose", "signature")
        header = layout.parse_header(head)
        claimed = header.header_size + header.arena_size
        end = at + min(claimed, LARGEST, self.image.size - at)
        end = self._before_another(at, end)
        if end - at <= header.header_size:
            return Find(at, at + len(layout.SIGNATURE), "loose", "signature")
        with as_file(self.image, [(at, end)], ".journal") as path:
            answer = read_file(path, FORMAT)
        is_cut = False
        if answer.last_lost is not None and at + answer.last_lost[1] >= end:
            # The rest of the file is lost, so the find ends with the sector of the last object.
            cut = at + max(answer.last_lost[0], header.header_size)
            shorter = min(end, cut + -(cut - at) % SECTOR)
            is_cut, end = shorter < end, shorter
        certainty: Certainty = "checksum" if answer.records else "structure"
        return Find(at, end, "log", certainty, ".journal", reading=None if is_cut else answer)

    def _before_another(self, at: int, end: int) -> int:
        """Return the offset of the next journal file that is not inside a field, or ``end``."""
        place = at + len(layout.SIGNATURE)
        walked = at + layout.parse_header(self.image.read(at, layout.HEADER_FULL)).header_size
        while True:
            following = self.image.find(layout.SIGNATURE, place, end)
            if following is None:
                return end
            head = self.image.read(following, layout.HEADER_FULL)
            if len(head) >= layout.HEADER_MIN and refusal(head) is None:
                walked = objects.passed(self.image, walked, following)
                if walked <= following:
                    return following
            place = following + 1

    def _objects(self, at: int) -> Find | None:
        run = objects.run_at(self.image, at, self.image.size)
        certainty = objects.certainty(self.image, run) if run else None
        if run is None or certainty is None:
            return None
        return Find(at, run[-1].end, "loose", certainty)
