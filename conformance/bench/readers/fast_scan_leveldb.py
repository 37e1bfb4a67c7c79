"""The bulk scanner of ``leveldb-log``."""

from __future__ import annotations

from conformance.bench.scanners import scanner

CONTENDER = scanner("leveldb-log")
