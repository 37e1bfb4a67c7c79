"""Write runs of records to a LevelDB log; ``reference_impl.leveldb_log`` is authoritative."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy import int64, uint64

from walproof.formats.leveldb_log.scanner.kernel import (
    BLOCK,
    FIRST,
    FULL,
    HEADER,
    LAST,
    MIDDLE,
    masked,
)
from walproof.scanners import arrays
from walproof.scanners.kernels import copy, crc32c, kernel
from walproof.scanners.model import Records


def write(path: Path, runs: Iterable[Records]) -> None:
    """Write the same bytes as ``Format.write`` for the same records. Raises ``OSError``."""
    position = 0
    with path.open("xb") as log:
        for run in runs:
            assert run.payload is not None
            _, offsets, data = run.payload.buffers()
            ends = np.frombuffer(offsets, np.int32)[run.payload.offset :][: len(run) + 1]
            total = int(ends[-1] - ends[0]) + HEADER * len(run)
            # At each block boundary, at most a trailer of six bytes and a header are added.
            room = arrays.pooled(total + 2 * HEADER * (total // (BLOCK - 2 * HEADER) + 2))
            put = _encode(np.frombuffer(data or b"", np.uint8), ends, position, room)
            log.write(room[:put].data)
            position += put


@kernel
def _encode(data: Any, ends: Any, position: Any, room: Any) -> Any:
    """Write the records ``data[ends[n]:ends[n + 1]]`` to ``room``; return the number of bytes.

    ``position`` is the offset in the log at which ``room`` begins (LDB-012 to LDB-015).
    """
    put = 0
    for n in range(len(ends) - 1):
        at, end, begin = int64(ends[n]), int64(ends[n + 1]), True
        while begin or at < end:
            left = BLOCK - (position + put) % BLOCK
            if left < HEADER:
                room[put : put + left] = 0
                put, left = put + left, BLOCK
            length = min(end - at, left - HEADER)
            is_last = at + length == end
            kind = (FULL if is_last else FIRST) if begin else (LAST if is_last else MIDDLE)
            room[put + 4], room[put + 5], room[put + 6] = length & 0xFF, length >> 8, kind + 1
            copy(room, put + HEADER, data, at, length)
            crc = masked(crc32c(uint64(0), room, put + 6, put + HEADER + length))
            for i in range(4):
                room[put + i] = crc >> uint64(8 * i) & uint64(0xFF)
            put, at, begin = put + HEADER + length, at + length, False
    return put
