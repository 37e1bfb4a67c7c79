"""Zeebe journals."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, Limit, Size

BENCH = FormatBench(
    logs=(
        Size("1 KiB records, Zeebe", 20_000, 1024),
        Size("1 KiB records, a broker's segment", 120_000, 1024, {"max_segment_size": 128 << 20}),
    ),
    # The whole data message: two headers and the length before the payload.
    limit=Limit("crc32c", lambda size: size + 28),
)
