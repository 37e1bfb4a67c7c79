"""SQLite's logs: a transaction has whole pages."""

from __future__ import annotations

import random
from collections.abc import Iterable

from lab.bench.format_bench import FormatBench, Size
from reference_impl.answer import NewRecord

PAGE_SIZE = 4096


def pages(count: int, size: int) -> Iterable[NewRecord]:
    """Return transactions of whole pages, at least ``size`` bytes each; the same ones every time.

    They write pages 1 to 100 in turn.
    """
    rng = random.Random(1)
    images = -(-size // PAGE_SIZE)
    for number in range(count):
        numbers = [(number + n) % 100 + 1 for n in range(images)]
        yield NewRecord(rng.randbytes(images * PAGE_SIZE), {"pages": numbers, "db_pages": 100})


BENCH = FormatBench(
    logs=(Size("pages of 4 KiB", 20_000, PAGE_SIZE),),
    records=pages,
    context={"page_size": PAGE_SIZE, "salt_1": 1, "salt_2": 2},
)
