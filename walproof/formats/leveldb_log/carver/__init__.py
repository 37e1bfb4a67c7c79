"""Find LevelDB logs in a disk image by the checksums of physical records.

A FIRST or MIDDLE record ends at a block boundary, which determines all other boundaries.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    HEADER,
    HEADER_SIZE,
    LAST,
    MIDDLE,
    masked_crc,
)
from walproof.carve import base
from walproof.carve.image import LOOKAHEAD, SECTOR, STRIDE, Image
from walproof.carve.model import Find, Loose, Window

MOST = 1 << 16
KINDS = {FULL: "full", FIRST: "first", MIDDLE: "middle", LAST: "last"}
#: Kind of a physical record that holds no part of a record.
METADATA = LAST + 1


@dataclass(frozen=True)
class Headers:
    """The physical record headers of a dialect."""

    #: Header size of a fragment, in bytes.
    size: int
    #: Header size of each record type, in bytes; 0 for an undefined type.
    sizes: NDArray[np.uint8]
    #: Meaning of each record type.
    kinds: NDArray[np.uint8]
    #: The lowest type number above the fragment types.
    above: int


def headers(full: int, size: int, metadata: Mapping[int, int] = MappingProxyType({})) -> Headers:
    """Return the headers of a dialect whose FULL records have the type ``full``.

    ``size`` is the header size of fragments. ``metadata`` maps metadata types to header sizes.
    """
    sizes, kinds = np.zeros(256, np.uint8), np.zeros(256, np.uint8)
    for kind, header in metadata.items():
        sizes[kind], kinds[kind] = header, METADATA
    for kind in KINDS:
        sizes[full + kind - FULL], kinds[full + kind - FULL] = size, kind
    return Headers(size, sizes, kinds, full + len(KINDS))


#: First bytes of the first record of a manifest.
COMPARATOR = b"\x01\x1aleveldb.BytewiseComparator"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


@dataclass(slots=True)
class Run:
    """The offsets and types of consecutive physical records in an image."""

    at: NDArray[np.int64]
    end: NDArray[np.int64]
    kind: NDArray[np.uint8]
    #: Offset of the block boundaries modulo the block size; None if no record determines it.
    phase: int | None = None
    #: False if two records imply different boundaries, or if a record crosses a boundary.
    agrees: bool = True

    def __post_init__(self) -> None:
        ends_block = (self.kind == FIRST) | (self.kind == MIDDLE)
        after_trailer = self.at[1:][self.at[1:] != self.end[:-1]]
        phases = np.unique(np.concatenate([self.end[ends_block], after_trailer]) % BLOCK_SIZE)
        self.phase = int(phases[0]) if len(phases) else None
        self.agrees = len(phases) < 2 and (self.phase is None or self.fits(self.phase))

    def fits(self, phase: int) -> bool:
        """Return whether no record crosses a block boundary with this phase."""
        first = (self.at - phase) // BLOCK_SIZE
        return bool((first == (self.end - 1 - phase) // BLOCK_SIZE).all())

    @property
    def start(self) -> int:
        """Return the start of the first record."""
        return int(self.at[0])

    @property
    def stop(self) -> int:
        """Return the end of the last record."""
        return int(self.end[-1])

    def first_block(self) -> int | None:
        """Return the offset of the first record that starts a block, or None."""
        if self.phase is None:
            return None
        begins = self.at[self.at % BLOCK_SIZE == self.phase]
        return int(begins[0]) if len(begins) else None


@dataclass(slots=True)
class _Open:
    """A log whose end was not reached yet; ``at`` and ``end`` delimit the part found so far."""

    at: int
    end: int
    last_kind: int
    is_sure: bool
    goes_on: bool

    def boundary(self) -> int:
        """Return the end of the block that contains the last byte."""
        return self.at - (self.at - self.end) // BLOCK_SIZE * BLOCK_SIZE


class Carver(base.Carver):
    """See :class:`walproof.carve.base.Carver`."""

    head_size = HEADER_SIZE
    headers = headers(FULL, HEADER_SIZE)

    def __init__(self, image: Image, align: int) -> None:
        super().__init__(image, align)
        self._open: _Open | None = None
        self._held: Run | None = None
        self._next = 0
        self._of_eight = np.empty((STRIDE + LOOKAHEAD) // 8 + 1, np.uint32)
        self._columns = np.empty(MOST, np.int64), np.empty(MOST, np.int64), np.empty(MOST, np.uint8)
        self._anywhere = importlib.util.find_spec("numba") is not None

    def window(self, window: Window, hits: Sequence[tuple[int, int]]) -> Iterator[Find]:
        """See :class:`walproof.carve.base.Carver`."""
        start = max(self._next, window.base)
        for at, end, kind in self._records_in(window, start, window.stop):
            self._next = max(self._next, int(end[-1]))
            yield from self._take(at, end, kind, window)

    def finish(self) -> Iterator[Find]:
        """See :class:`walproof.carve.base.Carver`."""
        held, self._held = self._held, None
        if held is not None:
            yield from self._run(held)
        yield from self._close()

    def pending(self) -> int | None:
        """See :class:`walproof.carve.base.Carver`."""
        locations = [each.start for each in (self._held,) if each is not None]
        locations += [each.at for each in (self._open,) if each is not None]
        return min(locations, default=None)

    def records(self, at: int, end: int) -> Iterator[Loose]:
        """See :class:`walproof.carve.base.Carver`. Loose fragments have a field ``fragment``."""
        parts: list[tuple[int, int, int]] = []
        for start, stop, kind in self._with_rest(at, end):
            follows = bool(parts) and start - parts[-1][1] < self.headers.size
            if kind not in (MIDDLE, LAST) or not follows:
                yield from self._fragments(parts)
                parts = []
            if kind == FULL:
                yield self._whole(start, stop, self._data(start, stop))
            if kind in (FULL, METADATA):
                continue
            parts.append((start, stop, kind))
            if kind == LAST:
                if parts[0][2] == FIRST:
                    data = b"".join(self._data(each, other) for each, other, _ in parts)
                    yield self._whole(parts[0][0], stop, data)
                else:
                    yield from self._fragments(parts)
                parts = []
        yield from self._fragments(parts)

    def claims(self, head: bytes, position: int) -> int | None:
        """See :class:`walproof.carve.base.Carver`."""
        if len(head) < HEADER_SIZE:
            return None
        _, length, kind = HEADER.unpack_from(head)
        header = int(self.headers.sizes[kind])
        fits = header and header + length <= BLOCK_SIZE - position % BLOCK_SIZE
        return header + length if fits else None

    def holds(self, record: bytes) -> bool:
        """See :class:`walproof.carve.base.Carver`."""
        checksum, _, _ = HEADER.unpack_from(record)
        return bool(masked_crc(record[6:]) == checksum)

    # Physical records

    def _records_in(
        self, window: Window, start: int, stop: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]]:
        """Yield the physical records that begin in ``[start, stop)``, as non-empty arrays."""
        if not self._anywhere:
            yield from self._at_sectors(window, start, stop)
            return
        from walproof.formats.leveldb_log.carver.kernel import physical_records, prefixes

        prefixes(window.data, window.size, self._of_eight)
        at, end, kind = self._columns
        here, last = start - window.base, stop - window.base
        while here < last:
            # The kernel reads no record beyond the size, which is within the array.
            count, here = physical_records(
                window.data, here, last, window.size, self._of_eight,
                self.headers.sizes, self.headers.above, at, end, kind,
            )  # fmt: skip
            if count:
                kinds = self.headers.kinds[kind[:count]]
                yield at[:count] + window.base, end[:count] + window.base, kinds

    def _at_sectors(
        self, window: Window, start: int, stop: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]]:
        """Search without compiled code: only at the starts of sectors and after each record."""
        data = window.data[: window.size].tobytes()
        results: list[tuple[int, int, int]] = []
        at = start - window.base
        while at < stop - window.base:
            end = self._end_of(data, at)
            if end is not None:
                kind = int(self.headers.kinds[data[at + 6]])
                results.append((at + window.base, end + window.base, kind))
                at = end
                continue
            trailer = next(
                (at + n for n in range(1, self.headers.size) if self._end_of(data, at + n)), None
            )
            is_after = bool(results) and results[-1][1] == at + window.base
            if is_after and trailer is not None and not any(data[at:trailer]):
                at = trailer
                continue
            at = (at + window.base) // SECTOR * SECTOR + SECTOR - window.base
        if results:
            columns = list(zip(*results, strict=True))
            yield (
                np.array(columns[0], np.int64),
                np.array(columns[1], np.int64),
                np.array(columns[2], np.uint8),
            )

    def _physical(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield the physical records of a part; each record must fit in the lookahead."""
        base = start
        while base < end:
            window = self.image.window(base, end)
            after = window.stop
            for at, stop, kind in self._records_in(window, base, window.stop):
                yield from zip(at.tolist(), stop.tolist(), kind.tolist(), strict=True)
                after = max(after, int(stop[-1]))
            base = after

    def _with_rest(self, at: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield the physical records of a part, and the fragments that complete the last record."""
        last = None
        for last in self._physical(at, end):
            yield last
        while last is not None and last[2] in (FIRST, MIDDLE):
            # FIRST and MIDDLE end at the end of their block, so the next fragment begins there.
            data = self.image.read(last[1], BLOCK_SIZE)
            after = self._end_of(data, 0)
            if after is None or (kind := self.headers.kinds[data[6]]) not in (MIDDLE, LAST):
                return
            last = (last[1], last[1] + after, int(kind))
            yield last

    def _data(self, at: int, end: int) -> bytes:
        return self.image.read(at + self.headers.size, end - at - self.headers.size)

    def _fragments(self, parts: Sequence[tuple[int, int, int]]) -> Iterator[Loose]:
        for at, end, kind in parts:
            fields = {**self._fields(at), "fragment": KINDS[kind]}
            yield Loose(at, end - at, self._data(at, end), fields)

    def _fields(self, at: int) -> Mapping[str, Any]:
        """Return the record fields that come from the header."""
        return {}

    def _whole(self, start: int, stop: int, payload: bytes) -> Loose:
        """Return a complete record; a zstd payload adds the field ``compression``."""
        fields = dict(self._fields(start))
        if payload.startswith(_ZSTD_MAGIC):
            fields["compression"] = "zstd"
        return Loose(start, stop - start, payload, fields)

    def _end_of(self, data: bytes, at: int) -> int | None:
        """Return the end of the physical record at an offset if its checksum matches."""
        if at + HEADER_SIZE > len(data) or not (header := int(self.headers.sizes[data[at + 6]])):
            return None
        checksum, length, _ = HEADER.unpack_from(data, at)
        end: int = at + header + length
        if header + length > BLOCK_SIZE or end > len(data):
            return None
        return end if masked_crc(data[at + 6 : end]) == checksum else None

    # Runs

    def _take(
        self,
        at: NDArray[np.int64],
        end: NDArray[np.int64],
        kind: NDArray[np.uint8],
        window: Window,
    ) -> Iterator[Find]:
        held, self._held = self._held, None
        if held is not None:
            at, end = np.concatenate([held.at, at]), np.concatenate([held.end, end])
            kind = np.concatenate([held.kind, kind])
        gaps = at[1:] - end[:-1]
        breaks = np.flatnonzero((gaps >= self.headers.size) | (gaps < 0)) + 1
        bounds = [0, *breaks.tolist(), len(at)]
        for first, after in pairwise(bounds):
            run = Run(at[first:after], end[first:after], kind[first:after])
            is_last = after == len(at)
            if is_last and run.phase is None and run.stop > window.stop - BLOCK_SIZE:
                self._held = run  # the next window may determine the block boundaries of the run
                return
            yield from self._run(run)

    def _run(self, run: Run) -> Iterator[Find]:
        log = self._open
        if log is not None and self._belongs(run, log):
            if run.start < log.boundary() and run.start - log.end >= self.headers.size:
                # A reader skips the rest of a damaged block, but its records still exist.
                first = run.first_block()
                yield Find(run.start, run.stop if first is None else first, "loose", "checksum")
            log.end, log.last_kind = run.stop, int(run.kind[-1])
            log.is_sure |= run.phase is not None
            return
        yield from self._close()
        run = self._with_metadata(run)
        first = run.first_block() if run.agrees else None
        is_aligned = run.start % self.align == 0
        if first is None and run.phase is None and is_aligned and run.fits(run.start):
            first = run.start
        if first is None:
            if self._is_strong(run):
                yield Find(run.start, run.stop, "loose", "checksum")
            return
        if first == run.start and not self._is_strong(run):
            return
        if first > run.start:
            yield Find(run.start, first, "loose", "checksum")
        self._open = _Open(
            first, run.stop, int(run.kind[-1]), run.phase is not None, first > run.start
        )

    def _with_metadata(self, run: Run) -> Run:
        """Return a run at the start of a log, extended by the metadata before its first record."""
        return run

    def _belongs(self, run: Run, log: _Open) -> bool:
        """Return whether a run continues the open log, directly or after a damaged part."""
        phase = log.at % BLOCK_SIZE
        if not run.agrees or run.phase not in (None, phase):
            return False
        gap = run.start - log.end
        if gap < self.headers.size:  # at most a block trailer lies between
            return gap == 0 or (run.start - log.at) % BLOCK_SIZE == 0
        boundary = log.boundary()
        if run.start < boundary:
            return run.phase is not None and log.is_sure
        goes_on = int(run.kind[0]) in (MIDDLE, LAST)
        if run.start == boundary:
            if goes_on and log.last_kind in (FIRST, MIDDLE):
                return True
            # If the file ends here, zeros follow up to the end of its sector.
            slack = self.image.read(log.end, -log.end % SECTOR)
            return bool(slack.strip(b"\0"))
        return run.start == boundary + BLOCK_SIZE and goes_on

    def _is_strong(self, run: Run) -> bool:
        """Return whether a run is more than a chance match of one checksum.

        A search at every byte of a disk finds some data whose 32-bit checksum matches by chance.
        """
        if len(run.at) > 1 or (run.start % SECTOR == 0 and self.align % SECTOR == 0):
            return True
        if run.phase is not None:
            return run.phase % SECTOR == 0
        data = self._data(run.start, min(run.stop, run.start + self.headers.size + 64))
        return int(run.kind[0]) in (FULL, FIRST) and _has_shape(data)

    def _close(self) -> Iterator[Find]:
        log, self._open = self._open, None
        if log is not None:
            yield Find(log.at, log.end, "log", "checksum", goes_on=log.goes_on)


def _has_shape(data: bytes) -> bool:
    """Return whether ``data`` looks like the start of a write batch or a version edit."""
    if data.startswith(COMPARATOR):
        return True
    if len(data) < 13 or data[6:8] != b"\0\0" or data[12] > 1:
        return False
    return 0 < int.from_bytes(data[8:12], "little") < 1 << 24


assert LOOKAHEAD >= BLOCK_SIZE and STRIDE % BLOCK_SIZE == 0
