"""Transactions of one to three pages. Each page is the root of a table in the database."""

from __future__ import annotations

import random

from lab.crash.format_crash import FormatCrash
from reference_impl.answer import NewRecord

#: A page fills a sector. With ``psow=0``, SQLite writes all pages of each sector that it changes.
PAGE_SIZE = 4096
#: All pages except page 1, which contains the schema.
PAGES = range(2, 8)


def records(count: int) -> list[NewRecord]:
    """Return transactions whose images are all different."""
    rng = random.Random(1)
    result = []
    for number in range(count):
        pages = sorted(rng.sample(PAGES, number % 3 + 1))
        images = b"".join(rng.randbytes(PAGE_SIZE) for _ in pages)
        result.append(NewRecord(images, {"pages": pages, "db_pages": PAGES[-1]}))
    return result


CRASH = FormatCrash(
    "case.db-wal",
    records,
    {"page_size": PAGE_SIZE},
    # Transactions after a loss are evidence, and must not be applied (SQW-039).
    is_part=lambda record: "after_loss" in record.fields,
)
