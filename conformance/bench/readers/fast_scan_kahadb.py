"""The bulk scanner of ``kahadb-journal``."""

from __future__ import annotations

from conformance.bench.scanners import scanner

CONTENDER = scanner("kahadb-journal")
