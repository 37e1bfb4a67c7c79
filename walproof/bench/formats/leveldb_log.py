"""LevelDB logs with small and with large records, written by LevelDB itself where it is built."""

from __future__ import annotations

from walproof.bench.formats import FormatBench, Limit, Size, Tile

BENCH = FormatBench(
    logs=(Size("100 B records", 200_000, 100), Size("64 KiB records", 400, 65_536)),
    large_logs=(
        Size("100 B records, Spark", 2_000_000, 100),
        Size("64 KiB records, Spark", 3_200, 65_536),
    ),
    writer="leveldb-cpp",
    # The type and the data of each fragment.
    limit=Limit("crc32c", lambda size: size + 1, longest=32_768 - 6),
    otherwise=(("strings", "LOG"), ("leveldbutil", "dump", "LOG")),
    # With their headers of 7 bytes they fill one block, which means the same wherever it lies.
    tile=Tile("000003.log", 1024, 25),
    lake=Tile("000003.log", 256, 121),
)
