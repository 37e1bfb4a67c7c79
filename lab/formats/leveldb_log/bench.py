"""LevelDB logs with small and with large records, written by LevelDB itself if it is built."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, MeasuredProgram, Size

BENCH = FormatBench(
    logs=(Size("100 B records", 200_000, 100), Size("64 KiB records", 400, 65_536)),
    programs=(
        MeasuredProgram("leveldb-cpp", 60),
        MeasuredProgram("leveldb-cpp", 60, variant="driver-sse42"),
    ),
    large_logs=(
        Size("100 B records, Spark", 2_000_000, 100),
        Size("64 KiB records, Spark", 3_200, 65_536),
    ),
    writer="leveldb-cpp",
)
