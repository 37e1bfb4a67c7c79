"""Read the header of the file ``NAME-shm``, SQLite's index of the log.

Upstream authority: sqlite/sqlite ``src/wal.c`` (``WalIndexHdr``, ``WalCkptInfo``).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from reference_impl.sqlite_wal.layout import HEADER_SIZE

VERSION = 3007000
_LAYOUT = "3I2BH4I8s2I"
_SIZE = 48
_BACKFILLED_AT, _ATTEMPTED_AT = 96, 128
_LOG_SALTS = slice(16, 24)


@dataclass(frozen=True, slots=True)
class WalIndex:
    """The header of the WAL index and the state of the checkpoints."""

    page_size: int
    #: Number of committed frames.
    frames: int
    salts: bytes
    #: Number of frames that checkpoints have copied to the database.
    backfilled: int
    #: Largest number of frames that checkpoints may have copied to the database.
    attempted: int

    @classmethod
    def of(cls, path: Path) -> WalIndex | None:
        """Read the index; None if it is missing, incomplete or unknown. Raises ``OSError``."""
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(_ATTEMPTED_AT + 4)
        if len(data) < _ATTEMPTED_AT + 4 or data[:_SIZE] != data[_SIZE : 2 * _SIZE]:
            return None
        for order in "<>":
            version, _, _, is_set, _, size, frames, _, _, _, salts, _, _ = struct.unpack_from(
                f"{order}{_LAYOUT}", data
            )
            if version == VERSION and is_set:
                page_size = 65536 if size == 1 else size
                (backfilled,) = struct.unpack_from(f"{order}I", data, _BACKFILLED_AT)
                (attempted,) = struct.unpack_from(f"{order}I", data, _ATTEMPTED_AT)
                return cls(page_size, frames, salts, backfilled, attempted)
        return None


def is_untouched(log: Path) -> bool:
    """Return whether the file ``NAME-shm`` proves that no frame was copied into the database."""
    index = WalIndex.of(log.with_name(f"{log.name.removesuffix('-wal')}-shm"))
    with log.open("rb") as file:
        salts = file.read(HEADER_SIZE)[_LOG_SALTS]
    return index is not None and index.salts == salts and not index.attempted
