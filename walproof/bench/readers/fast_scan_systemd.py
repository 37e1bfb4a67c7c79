"""The bulk scanner of ``systemd-journal``."""

from __future__ import annotations

from walproof.bench.scanners import scanner

CONTENDER = scanner("systemd-journal", repeat=5)
