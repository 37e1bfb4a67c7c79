"""Recyclable RocksDB logs with small and with large records."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, MeasuredProgram, Size

BENCH = FormatBench(
    logs=(Size("100 B records", 200_000, 100), Size("64 KiB records", 400, 65_536)),
    programs=(MeasuredProgram("rocksdb", 60),),
)
