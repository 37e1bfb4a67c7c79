"""Runs the real programs and writes the golden files (README.md)."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3]))

from tests.walproof.decode.real_programs import (  # noqa: E402
    LEVELDB,
    payloads,
    run_activemq,
    run_python,
)

VERSIONS = (6, 11)
LONGEST = 700


def activemq(scratch: Path) -> dict[str, Any]:
    """Version → messages of at most 700 bytes, each with what the API said of it."""
    told = run_activemq(scratch, VERSIONS)
    found = {}
    for version in VERSIONS:
        # Records of added messages begin with the number of the command.
        records = payloads("kahadb-journal", scratch / str(version))
        pairs = zip((p for p in records if p[0] == 1), told[str(version)], strict=True)
        found[str(version)] = [
            {"payload": payload.hex(), "told": said}
            for payload, said in pairs
            if len(payload) <= LONGEST
        ]
    return found


def leveldb(scratch: Path) -> dict[str, Any]:
    """The records of a MANIFEST, and the tables that it leaves."""
    wrote = run_python(*LEVELDB, scratch / "leveldb")
    records = payloads("leveldb-log", scratch / "leveldb" / "first")
    return {"payloads": [payload.hex() for payload in records], "tables": wrote["first"]}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for make in (activemq, leveldb):
            made = json.dumps(make(Path(scratch)), ensure_ascii=False, indent=1)
            (HERE / f"{make.__name__}.json").write_text(f"{made}\n", "utf-8")
