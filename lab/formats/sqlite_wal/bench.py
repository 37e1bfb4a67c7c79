"""SQLite logs with one page per transaction, for small and for large pages."""

from __future__ import annotations

import random
from collections.abc import Iterator

from lab.bench.format_bench import FormatBench, MeasuredProgram, Size
from reference_impl.answer import NewRecord

#: The pages that the transactions change in turn.
PAGES = range(2, 1002)


def transactions(count: int, size: int) -> Iterator[NewRecord]:
    """Yield transactions whose page images do not compress."""
    rng = random.Random(1)
    for number in range(count):
        page = PAGES[number % len(PAGES)]
        yield NewRecord(rng.randbytes(size), {"pages": [page], "db_pages": PAGES[-1]})


BENCH = FormatBench(
    logs=(
        Size("4 KiB pages, SQLite", 6_400, 4096),
        Size("512 B pages, SQLite", 40_000, 512, {"page_size": 512}),
    ),
    # The adapter opens a database next to the log, which makes SQLite recover the log.
    programs=(MeasuredProgram("sqlite", 20),),
    records=transactions,
    peer_has_payloads=False,
)
