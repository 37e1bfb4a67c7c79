"""Random intact logs in every dialect."""

from __future__ import annotations

import random
from dataclasses import dataclass

from reference_impl.answer import NewRecord
from reference_impl.leveldb_log.layout import BLOCK_SIZE
from reference_impl.rocksdb_wal.layout import clean_close, pack
from reference_impl.rocksdb_wal.writer import Writer

NUMBER, OLDER = 12, 8


@dataclass(frozen=True)
class SoundLog:
    """A log and its records. ``end`` is the offset at which the writer stopped."""

    data: bytes
    payloads: tuple[bytes, ...]
    end: int
    headers: str


def sound_log(chance: random.Random) -> SoundLog:
    """Return a log with a few records. Some of the logs are recycled, and some are closed."""
    headers = chance.choice(["legacy", "recyclable", "recyclable", "wal-sync", "wal-sync"])
    is_compressed = headers != "wal-sync" and chance.random() < 0.3
    sizes = (0, 5, 100, 3000, 32_700, 32_757, 40_000)
    payloads = [b"%07d" % n * (chance.choice(sizes) // 7) for n in range(chance.randrange(1, 9))]
    fields: list[dict[str, object]] = [{} for _ in payloads]
    if headers != "wal-sync" and chance.random() < 0.4:
        chance.choice(fields)["timestamp_sizes"] = {"3": 8}
    context = {"headers": headers, "compression": "zstd" if is_compressed else "none"}
    records = [NewRecord(*both) for both in zip(payloads, fields, strict=True)]
    log = b"".join(Writer(NUMBER, context).pieces(records))
    end = len(log)
    if headers != "legacy" and chance.random() < 0.3 and BLOCK_SIZE - end % BLOCK_SIZE >= 19:
        log += clean_close(NUMBER)
    if headers != "legacy" and chance.random() < 0.4:
        blocks = len(log) // BLOCK_SIZE + 3
        older = pack("recyclable", 1, b"o" * (BLOCK_SIZE - 11), OLDER) * blocks
        log += older[len(log) :]
    return SoundLog(log, tuple(payloads), end, headers)
