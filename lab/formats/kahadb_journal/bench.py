"""KahaDB journals. The JVM uses both of its JIT compilers, as on a server."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, MeasuredProgram, Size

BENCH = FormatBench(
    logs=(Size("1 KiB records, KahaDB", 20_000, 1024),),
    programs=(MeasuredProgram("kahadb-store", 60, without="-XX:TieredStopAtLevel=1"),),
)
