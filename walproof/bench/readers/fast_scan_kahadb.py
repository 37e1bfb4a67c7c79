"""The bulk scanner of ``kahadb-journal``."""

from __future__ import annotations

from walproof.bench.scanners import scanner

CONTENDER = scanner("kahadb-journal")
