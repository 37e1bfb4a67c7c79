"""SQLite logs of a database that has one table per key.

Each transaction writes some keys. A table has one row in one page, so a frame contains the complete
value of a key. The program first creates all tables without rows, so that their root pages have
known numbers.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise

from conformance.implementations.sqlite.leaf import leaf
from conformance.recipes.algebra import Damage
from lab.databases.damaged_logs import FormatDatabases, Item, damaged_cases, shortened, written_log
from reference_impl.answer import Answer, NewRecord

FORMAT = "sqlite-wal"
NAME = "case.db-wal"
PAGE_SIZE = 4096
#: A page from :func:`~conformance.implementations.sqlite.leaf.leaf` ends with the value, so only
#: the last eight bytes are unpacked.
ROW = struct.Struct(f">{PAGE_SIZE - 8}xq")
KEYS = 16
#: The root page of the first key. Page 1 has the schema.
FIRST_ROOT = 2
#: The root page of the table ``older``, which follows the tables of the keys. Only the older
#: generation of the log writes this page.
OLDER_ROOT = FIRST_ROOT + KEYS
#: The number of pages, including the table that gets a new row after opening.
DB_PAGES = OLDER_ROOT + 1
#: Number of keys that each transaction writes.
TRANSACTIONS = (1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2)
#: The header fields of the log and of its older generation.
CONTEXT = {"page_size": PAGE_SIZE, "sequence": 1, "salt_1": 0x11111111, "salt_2": 0x22222222}
OLDER_CONTEXT = {"page_size": PAGE_SIZE, "salt_1": 0x11111110, "salt_2": 0x0ABAD1DE}


def _log(context: Mapping[str, int], transactions: Sequence[Sequence[int]]) -> bytes:
    rng = random.Random(f"{context['salt_2']}")
    records = [
        NewRecord(
            b"".join(leaf(rng.randrange(1 << 55, 1 << 62), PAGE_SIZE, page) for page in pages),
            {"pages": list(pages), "db_pages": DB_PAGES},
        )
        for pages in transactions
    ]
    log = written_log(FORMAT, NAME, records, context)
    assert isinstance(log, bytes)
    return log


@cache
def control() -> bytes:
    """Return the log before any damage: 16 keys in 12 transactions."""
    ends = list(accumulate(TRANSACTIONS, initial=FIRST_ROOT))
    return _log(CONTEXT, [range(*each) for each in pairwise(ends)])


@cache
def older() -> bytes:
    """Return the older, longer generation of the log, whose pages are already in the database."""
    return _log(OLDER_CONTEXT, [[OLDER_ROOT]] * (KEYS + 4))


def _swap(log: Damage) -> None:
    first, second = log.field("frames[6]"), log.field("frames[7]")
    slots = bytes(log.data[first.start : first.end]), bytes(log.data[second.start : second.end])
    log.splice("frames[6]", slots[1])
    log.splice("frames[7]", slots[0])


def _lose_write(log: Damage) -> None:
    slot = log.field("frames[6]")
    log.stale(slot.start, slot.end, older())


DAMAGE: Mapping[str, Callable[[Damage], None]] = {
    "none": lambda log: None,
    "torn-last-record": lambda log: log.truncate_in("frames[15].page", 100),
    "torn-last-record/between-frames": lambda log: log.truncate_in("frames[15]", 0),
    "size-before-data": lambda log: log.zero("frames[15].page"),
    "zeroed-sector": lambda log: log.zero_sector(60),
    "zeroed-sector/frame": lambda log: log.zero("frames[6]"),
    "zeroed-sector/file-header": lambda log: log.zero("header"),
    "stale-tail": lambda log: log.extend(older()[len(control()) :]),
    "lost-write": _lose_write,
    "bit-in-a-length": lambda log: log.flip("header.page_size", 3),
    "bit-in-a-checksum": lambda log: log.flip("frames[6].header.checksum_1", 3),
    "bit-in-a-checksum/salt": lambda log: log.flip("frames[6].header.salt_1", 3),
    "bit-in-a-checksum/file-header": lambda log: log.flip("header.checksum_1", 3),
    "bit-in-a-payload": lambda log: log.flip("frames[6].page", 8 * 40 + 2),
    "bit-in-a-payload/first-transaction": lambda log: log.flip("frames[0].page", 8 * 40 + 2),
    "bit-in-a-payload/last-transaction": lambda log: log.flip("frames[15].page", 8 * 40 + 2),
    "bit-in-a-payload/page-number": lambda log: log.flip("frames[6].header.page_number", 1),
    "bit-in-a-payload/file-version": lambda log: log.flip("header.version", 0),
    "missing-in-the-middle": lambda log: log.drop("frames[6]"),
    "unit-twice": lambda log: log.duplicate("frames[6]"),
    "swapped": _swap,
}


def items(answer: Answer) -> frozenset[Item]:
    """Return the value of each key, from the last eight bytes of its page."""
    return frozenset(
        (f"key{page - FIRST_ROOT:02}", shortened(b"%d" % value))
        for record in answer.records
        for page, (value,) in zip(
            record.fields["pages"], ROW.iter_unpack(record.payload), strict=True
        )
        if page < OLDER_ROOT
    )


DATABASES = FormatDatabases(lambda: damaged_cases(FORMAT, control(), DAMAGE, NAME), items)
