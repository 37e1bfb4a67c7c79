"""Zeebe journals."""

from __future__ import annotations

from walproof.bench.formats import FormatBench, Limit, Size

BENCH = FormatBench(
    logs=(Size("1 KiB records, Zeebe", 20_000, 1024),),
    # The whole data message: two headers and the length before the payload.
    limit=Limit("crc32c", lambda size: size + 28),
)
