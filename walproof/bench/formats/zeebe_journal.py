"""Zeebe journals."""

from __future__ import annotations

from walproof.bench.formats import FormatBench, Size

BENCH = FormatBench(logs=(Size("1 KiB records, Zeebe", 20_000, 1024),), parquet=True)
