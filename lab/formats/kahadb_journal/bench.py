"""KahaDB journals."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, Size

BENCH = FormatBench(
    logs=(Size("1 KiB records, KahaDB", 20_000, 1024),),
)
