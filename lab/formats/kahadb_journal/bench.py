"""KahaDB journals. The JVM uses both of its compilers, as on a server."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, Program, Size

BENCH = FormatBench(
    logs=(Size("1 KiB records, KahaDB", 20_000, 1024),),
    programs=(Program("kahadb-store", 60, without="-XX:TieredStopAtLevel=1"),),
)
