"""Transactions that SQLite can write, although it chooses page 1 and the salts itself.

The database has all its pages before the log begins, so page 1 does not change. A library without
the table sqlite_dbpage can write only pages that are leaves with one row.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from conformance.implementations.sqlite.leaf import leaf
from lab.crossing.logs import Wanted
from reference_impl.sqlite_wal.layout import PAGE_SIZES

FORMAT = "sqlite-wal"
PAGE_SIZE = 4096
#: The number of pages of a database whose pages are leaves, and of other databases.
LEAVES, PAGES = 8, 1200
#: SQLite has a cache of 2000 KiB, so it writes pages of this transaction before the commit.
LARGE_TRANSACTION = range(3, 1100)


def _log(
    name: str,
    transactions: Sequence[Sequence[int]],
    image: Callable[[random.Random, int], bytes],
    page_size: int = PAGE_SIZE,
    db_pages: int = LEAVES,
    sequence: int = 0,
) -> Wanted:
    rng = random.Random(name)
    records = [
        {
            "payload": b"".join(image(rng, page_size) for _ in pages).hex(),
            "pages": list(pages),
            "db_pages": db_pages,
        }
        for pages in transactions
    ]
    context = {"page_size": page_size, "sequence": sequence}
    return Wanted(f"crossing/{name}", FORMAT, "case.db-wal", records, context)


def _row(rng: random.Random, page_size: int) -> bytes:
    return leaf(rng.randrange(1 << 55, 1 << 62), page_size)


def _noise(rng: random.Random, page_size: int) -> bytes:
    return rng.randbytes(page_size)


def _transactions(count: int, db_pages: int) -> list[list[int]]:
    """Return transactions of one to three pages."""
    rng = random.Random(count)
    return [sorted(rng.sample(range(2, db_pages + 1), n % 3 + 1)) for n in range(count)]


def _logs() -> Iterator[Wanted]:
    few = _transactions(12, LEAVES)
    for size in PAGE_SIZES:
        yield _log(f"rows-in-pages-of-{size}-bytes", few, _row, size)
    yield _log("a-hundred-transactions", _transactions(100, LEAVES), _row)
    for sequence in (1, 2):
        yield _log(f"generation-{sequence + 1}-over-older-frames", few, _row, sequence=sequence)
    yield _log("random-images", _transactions(30, PAGES), _noise, db_pages=PAGES)
    large = [[2], list(LARGE_TRANSACTION), [2, 3]]
    yield _log("a-transaction-larger-than-the-cache", large, _noise, db_pages=PAGES)


LOGS = list(_logs())
