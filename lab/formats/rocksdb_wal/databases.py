"""RocksDB and Pebble logs in which each record is a write batch that puts one key.

RocksDB and Pebble use the variant ``recyclable``. Only Pebble uses ``wal-sync``, and only RocksDB
uses ``zstd``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

from conformance.recipes.algebra import Damage
from lab.databases.damaged_logs import DatabaseCase, FormatDatabases, damaged_cases, written_log
from lab.formats.leveldb_log.databases import SIZES, batch, items
from reference_impl.answer import NewRecord

FORMAT = "rocksdb-wal"
NAME = "000012.log"
#: The name of the older log, whose file was recycled.
OLDER_NAME = "000008.log"
FIRST_SEQUENCE = 101
#: Maps each variant to the context for the writer.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "recyclable": {"headers": "recyclable"},
    "wal-sync": {"headers": "wal-sync"},
    "zstd": {"headers": "legacy", "compression": "zstd"},
}


def _log(variant: str, name: str, first_sequence: int, sizes: Sequence[int]) -> bytes:
    """Return a log of puts. The values are random bytes, which do not compress."""
    records = [
        NewRecord(batch(first_sequence + n, b"key%02d" % n, value(name, n, size)))
        for n, size in enumerate(sizes)
    ]
    log = written_log(FORMAT, name, records, VARIANTS[variant])
    assert isinstance(log, bytes)
    return log


def value(name: str, number: int, size: int) -> bytes:
    """Return the value of a key in a log. Its random bytes are the same in every run."""
    return random.Random(f"{name} {number}").randbytes(size)


@cache
def control(variant: str) -> bytes:
    """Return the log before any damage, with the keys ``key00`` to ``key15`` in three blocks."""
    return _log(variant, NAME, FIRST_SEQUENCE, SIZES)


@cache
def older(variant: str, longer: int = 0) -> bytes:
    """Return an older log in the same file, with records of the same sizes and then some more.

    The first record is ``longer`` bytes longer.
    """
    return _log(variant, OLDER_NAME, 1, [SIZES[0] + longer, *SIZES[1:], 43, 44, 40_000])


def cases() -> list[DatabaseCase]:
    """Return the undamaged log, and the damaged logs of each variant."""
    results = damaged_cases(FORMAT, control("recyclable"), {"none": lambda log: None}, NAME)
    for variant in VARIANTS:
        damage = {}
        for id, act in DAMAGE.items():
            scenario, _, part = id.partition("/")
            if variant != "zstd" or id not in ONLY_WITH_LOG_NUMBERS:
                damage[f"{scenario}/{variant}{part and '-' + part}"] = partial(act, variant)
        results += damaged_cases(FORMAT, control(variant), damage, NAME, variant=variant)
    return results


def _in_block_0(number: int, variant: str) -> str:
    """Return the path of a record in the first block, after the compression record of zstd."""
    return f"blocks[0].records[{number + (variant == 'zstd')}]"


def _stale_tail(variant: str, log: Damage, longer: int = 0) -> None:
    log.extend(older(variant, longer)[len(control(variant)) :])


def _torn_over_an_older_log(variant: str, log: Damage) -> None:
    _stale_tail(variant, log)
    data = log.field("blocks[2].records[3].data")
    log.stale(data.start + 20, data.end, older(variant))


DAMAGE: Mapping[str, Callable[[str, Damage], None]] = {
    "torn-last-record": lambda _, log: log.truncate_in("blocks[2].records[3].data", 20),
    "torn-last-record/over-an-older-log": _torn_over_an_older_log,
    "size-before-data": lambda _, log: log.zero("blocks[2].records[3].data"),
    "zeroed-sector": lambda _, log: log.zero_sector(6),
    "stale-tail": _stale_tail,
    "stale-tail/out-of-step": lambda variant, log: _stale_tail(variant, log, 5),
    "lost-write": lambda variant, log: log.stale(0, 4096, older(variant)),
    "bit-in-a-length": lambda variant, log: log.flip(
        f"{_in_block_0(5, variant)}.header.len_data", 4
    ),
    "bit-in-a-checksum": lambda variant, log: log.flip(
        f"{_in_block_0(1, variant)}.header.checksum", 3
    ),
    # The flip turns the log number 12 into 13, the number of the next log. The checksum covers it.
    "bit-in-a-checksum/log-number": lambda _, log: log.flip(
        "blocks[0].records[1].header.log_number", 0
    ),
    "bit-in-a-payload": lambda variant, log: log.flip(
        f"{_in_block_0(1, variant)}.data", 8 * 40 + 2
    ),
    "bit-in-a-payload/last-block": lambda _, log: log.flip("blocks[2].records[2].data", 8 * 40 + 2),
    "missing-in-the-middle": lambda _, log: log.drop("blocks[2].records[2]"),
    "unit-twice": lambda _, log: log.duplicate("blocks[2].records[2]"),
    "swapped": lambda _, log: log.swap_sectors(0, 1, 32768),
}

ONLY_WITH_LOG_NUMBERS = (
    "torn-last-record/over-an-older-log",
    "stale-tail/out-of-step",
    "bit-in-a-checksum/log-number",
)


DATABASES = FormatDatabases(cases, items)
