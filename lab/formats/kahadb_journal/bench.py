"""KahaDB journals."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, Limit, Size

BENCH = FormatBench(
    logs=(Size("1 KiB records, KahaDB", 20_000, 1024),),
    # A batch, of at most 4 MiB, has one checksum for its records and their heads of five bytes.
    limit=Limit("adler32", lambda size: size + 5, longest=4 << 20, is_joint=True),
)
