"""``walproof export --parquet`` of ``leveldb-log``."""

from __future__ import annotations

from walproof.bench.scanners import parquet

CONTENDER = parquet("leveldb-log")
