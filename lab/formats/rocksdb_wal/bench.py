"""Recyclable RocksDB logs with small and with large records."""

from __future__ import annotations

from lab.bench.format_bench import FormatBench, Limit, Size

BENCH = FormatBench(
    logs=(Size("100 B records", 200_000, 100), Size("64 KiB records", 400, 65_536)),
    # The type, the log number and the data of each fragment.
    limit=Limit("crc32c", lambda size: size + 5, longest=32_768 - 6),
)
