"""The bulk scanner of ``zeebe-journal``."""

from __future__ import annotations

from conformance.bench.scanners import scanner

CONTENDER = scanner("zeebe-journal")
