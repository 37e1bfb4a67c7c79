"""Logs of RocksDB and Pebble: each record is a write batch that puts one key.

There are three variants. Both systems read and write ``recyclable`` headers. Only Pebble uses
``wal-sync`` headers. Only RocksDB compresses records with ``zstd``.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from conformance.contents import write_contents
from conformance.recipes.algebra import Damage
from lab.databases.model import Case
from lab.formats.leveldb_log.databases import SIZES, batch, items
from reference_impl.answer import NewRecord
from reference_impl.rocksdb_wal import write

__all__ = ["cases", "items", "place"]

FORMAT = "rocksdb-wal"
NAME = "000012.log"
#: Of the log that the file held before.
OLDER_NAME = "000008.log"
FIRST_SEQUENCE = 101
#: The context of a writer, by variant.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "recyclable": {"headers": "recyclable"},
    "wal-sync": {"headers": "wal-sync"},
    "zstd": {"headers": "legacy", "compression": "zstd"},
}


def _log(variant: str, name: str, first_sequence: int, sizes: Sequence[int]) -> bytes:
    """Write a log of puts. Values are random bytes, which compression does not make smaller."""
    records = [
        NewRecord(batch(first_sequence + n, b"key%02d" % n, value(name, n, size)))
        for n, size in enumerate(sizes)
    ]
    with tempfile.TemporaryDirectory(prefix="walproof-databases-") as scratch:
        path = Path(scratch, name)
        write(path, records, VARIANTS[variant])
        return path.read_bytes()


def value(name: str, number: int, size: int) -> bytes:
    """Return the value of a key in a log: the same random bytes in every run."""
    return random.Random(f"{name} {number}").randbytes(size)


@cache
def control(variant: str) -> bytes:
    """Return the log before any damage: keys ``key00`` to ``key15`` in three blocks."""
    return _log(variant, NAME, FIRST_SEQUENCE, SIZES)


@cache
def older(variant: str, longer: int = 0) -> bytes:
    """Return the earlier content of the file: more records, of the same sizes.

    The first one is so many bytes ``longer``.
    """
    return _log(variant, OLDER_NAME, 1, [SIZES[0] + longer, *SIZES[1:], 43, 44, 40_000])


def cases() -> list[Case]:
    """See :class:`~lab.databases.model.FormatDatabases`."""
    sound = control("recyclable")
    none = Case("none", "none", sound, sound, (), NAME)
    return [
        none,
        *(
            _case(scenario, variant, act)
            for variant in VARIANTS
            for scenario, act in _CASES.items()
            if variant != "zstd" or scenario not in _ONLY_WITH_LOG_NUMBERS
        ),
    ]


def _case(scenario: str, variant: str, act: Callable[[Damage, str], None]) -> Case:
    scenario, _, part = scenario.partition("/")
    log = Damage(control(variant), FORMAT)
    act(log, variant)
    return Case(
        f"{scenario}/{variant}{part and '-' + part}", scenario, log.contents, control(variant),
        log.operations, NAME, variant=variant,
    )  # fmt: skip


def _in_block_0(number: int, variant: str) -> str:
    """Return the path of a record in the first block. The compression record comes before it."""
    return f"blocks[0].records[{number + (variant == 'zstd')}]"


def _stale_tail(log: Damage, variant: str, longer: int = 0) -> None:
    log.extend(older(variant, longer)[len(control(variant)) :], "the end of an older log")


def _torn_over_an_older_log(log: Damage, variant: str) -> None:
    _stale_tail(log, variant)
    data = log.field("blocks[2].records[3].data")
    log.stale(data.start + 20, data.end, older(variant))


_CASES: Mapping[str, Callable[[Damage, str], None]] = {
    "torn-last-record": lambda log, _: log.truncate_in("blocks[2].records[3].data", 20),
    "torn-last-record/over-an-older-log": _torn_over_an_older_log,
    "size-before-data": lambda log, _: log.zero("blocks[2].records[3].data"),
    "zeroed-sector": lambda log, _: log.zero_sector(6),
    "stale-tail": _stale_tail,
    "stale-tail/out-of-step": lambda log, variant: _stale_tail(log, variant, 5),
    "lost-write": lambda log, variant: log.stale(0, 4096, older(variant)),
    "bit-in-a-length": lambda log, variant: log.flip(
        f"{_in_block_0(5, variant)}.header.len_data", 4
    ),
    "bit-in-a-checksum": lambda log, variant: log.flip(
        f"{_in_block_0(1, variant)}.header.checksum", 3
    ),
    # The checksum covers the log number. With this bit, it is the number of the next log.
    "bit-in-a-checksum/log-number": lambda log, _: log.flip(
        "blocks[0].records[1].header.log_number", 0
    ),
    "bit-in-a-payload": lambda log, variant: log.flip(
        f"{_in_block_0(1, variant)}.data", 8 * 40 + 2
    ),
    "bit-in-a-payload/last-block": lambda log, _: log.flip("blocks[2].records[2].data", 8 * 40 + 2),
    "missing-in-the-middle": lambda log, _: log.drop("blocks[2].records[2]"),
    "unit-twice": lambda log, _: log.duplicate("blocks[2].records[2]"),
    "swapped": lambda log, _: log.swap_sectors(0, 1, 32768),
}

_ONLY_WITH_LOG_NUMBERS = (
    "torn-last-record/over-an-older-log",
    "stale-tail/out-of-step",
    "bit-in-a-checksum/log-number",
)


def place(case: Case, folder: Path) -> Path:
    """See :class:`~lab.databases.model.FormatDatabases`.

    The program makes the database around it. The log keeps its name, since its headers carry the
    number.
    """
    path = folder / case.name
    write_contents(case.log, path)
    return path
