"""``walproof export --parquet`` of ``zeebe-journal``."""

from __future__ import annotations

from walproof.bench.scanners import parquet

CONTENDER = parquet("zeebe-journal")
