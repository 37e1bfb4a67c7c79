"""``walproof export --parquet`` of ``zeebe-journal``."""

from __future__ import annotations

from conformance.bench.scanners import parquet

CONTENDER = parquet("zeebe-journal")
