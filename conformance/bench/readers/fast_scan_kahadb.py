"""The bulk scanner on ``kahadb-journal``."""

from __future__ import annotations

from conformance.bench import bulk

read_once = bulk.reader("kahadb-journal")

CONTENDER = bulk.contender("kahadb-journal", __name__)
