"""The bulk scanner of ``leveldb-log``."""

from __future__ import annotations

from walproof.bench.scanners import scanner

CONTENDER = scanner("leveldb-log")
