"""Find RocksDB and Pebble logs in a disk image.

A log with 7-byte headers is reported as a LevelDB log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reference_impl.leveldb_log.dialects import (
    COMPRESSION,
    RECYCLABLE_HEADER_SIZE,
    RECYCLABLE_PREDECESSOR,
    RECYCLABLE_TIMESTAMP_SIZES,
    SYNC_HEADER_SIZE,
)
from reference_impl.leveldb_log.layout import FIRST, FULL, HEADER_SIZE
from reference_impl.rocksdb_wal.layout import (
    FIRST_TYPE,
    PREDECESSOR_INFO,
    RECYCLABLE,
    TIMESTAMP_SIZE,
    WAL_SYNC,
)
from walproof.carve import base
from walproof.carve.image import Image
from walproof.carve.model import Find, Loose, Window
from walproof.formats.leveldb_log import carver as leveldb_carver
from walproof.formats.leveldb_log.carver import METADATA, Run, headers

#: Maximum number of column families in a record of timestamp sizes at the start of a log.
MAX_FAMILIES = 8
#: Maximum number of metadata records at the start of a log.
MAX_METADATA = 3
_METADATA_BYTES = (
    HEADER_SIZE + 4,
    RECYCLABLE_HEADER_SIZE + PREDECESSOR_INFO.size,
    *(RECYCLABLE_HEADER_SIZE + TIMESTAMP_SIZE.size * (n + 1) for n in range(MAX_FAMILIES)),
)


class RecyclableCarver(leveldb_carver.Carver):
    """A carver for logs of RocksDB or Pebble with 11-byte headers."""

    head_size = RECYCLABLE_HEADER_SIZE
    headers = headers(
        FIRST_TYPE[RECYCLABLE],
        RECYCLABLE_HEADER_SIZE,
        {
            RECYCLABLE_TIMESTAMP_SIZES: RECYCLABLE_HEADER_SIZE,
            RECYCLABLE_PREDECESSOR: RECYCLABLE_HEADER_SIZE,
            COMPRESSION: HEADER_SIZE,
        },
    )

    def _fields(self, at: int) -> Mapping[str, Any]:
        number = self.image.read(at + HEADER_SIZE, 4)
        return {"log_number": int.from_bytes(number, "little")}

    def _with_metadata(self, run: Run) -> Run:
        """See the base class. The search for metadata goes backwards from the first record."""
        for _ in range(MAX_METADATA):
            start = run.start
            before = next((n for n in _METADATA_BYTES if self._is_metadata(start - n, n)), None)
            if int(run.kind[0]) not in (FULL, FIRST, METADATA) or before is None:
                break
            run = replace(
                run,
                at=np.concatenate([[start - before], run.at]),
                end=np.concatenate([[start], run.end]),
                kind=np.concatenate([np.array([METADATA], np.uint8), run.kind]),
            )
        return run

    def _is_metadata(self, at: int, size: int) -> bool:
        if at < 0:
            return False
        data = self.image.read(at, size)
        return self._end_of(data, 0) == size and self.headers.kinds[data[6]] == METADATA


class SyncCarver(leveldb_carver.Carver):
    """A carver for logs with 19-byte headers, which Pebble writes."""

    head_size = SYNC_HEADER_SIZE
    headers = headers(FIRST_TYPE[WAL_SYNC], SYNC_HEADER_SIZE)

    def _fields(self, at: int) -> Mapping[str, Any]:
        header = self.image.read(at + HEADER_SIZE, SYNC_HEADER_SIZE - HEADER_SIZE)
        return {
            "log_number": int.from_bytes(header[:4], "little"),
            "sync_offset": str(int.from_bytes(header[4:], "little")),
        }


class Carver(base.Carver):
    """A carver for both dialects. See :class:`walproof.carve.base.Carver`."""

    head_size = SYNC_HEADER_SIZE

    def __init__(self, image: Image, align: int) -> None:
        super().__init__(image, align)
        self._dialects = (RecyclableCarver(image, align), SyncCarver(image, align))

    def window(self, window: Window, hits: Sequence[tuple[int, int]]) -> Iterator[Find]:
        """See :class:`walproof.carve.base.Carver`."""
        yield from _in_order(one.window(window, ()) for one in self._dialects)

    def finish(self) -> Iterator[Find]:
        """See :class:`walproof.carve.base.Carver`."""
        yield from _in_order(one.finish() for one in self._dialects)

    def pending(self) -> int | None:
        """See :class:`walproof.carve.base.Carver`."""
        places = [place for one in self._dialects if (place := one.pending()) is not None]
        return min(places, default=None)

    def records(self, at: int, end: int) -> Iterator[Loose]:
        """See :class:`walproof.carve.base.Carver`."""
        found = [loose for one in self._dialects for loose in one.records(at, end)]
        yield from sorted(found, key=lambda one: one.at)

    def claims(self, head: bytes, position: int) -> int | None:
        """See :class:`walproof.carve.base.Carver`."""
        claimed = (one.claims(head, position) for one in reversed(self._dialects))
        return next((size for size in claimed if size is not None), None)

    def holds(self, record: bytes) -> bool:
        """See :class:`walproof.carve.base.Carver`."""
        return self._dialects[0].holds(record)


def _in_order(finds: Iterable[Iterator[Find]]) -> list[Find]:
    return sorted((find for of_dialect in finds for find in of_dialect), key=lambda find: find.at)
