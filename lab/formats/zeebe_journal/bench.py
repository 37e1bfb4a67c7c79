"""Zeebe journals. The JVM uses both of its JIT compilers, as on a server."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, MeasuredProgram, Size

BENCH = FormatBench(
    logs=(
        Size("1 KiB records, Zeebe", 20_000, 1024),
        Size("1 KiB records, a broker's segment", 120_000, 1024, {"max_segment_size": 128 << 20}),
    ),
    programs=(MeasuredProgram("zeebe-journal", 60, without="-XX:TieredStopAtLevel=1"),),
)
