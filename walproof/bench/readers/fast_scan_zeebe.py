"""The bulk scanner of ``zeebe-journal``."""

from __future__ import annotations

from walproof.bench.scanners import scanner

CONTENDER = scanner("zeebe-journal")
