"""Run the real programs and write the golden files (README.md)."""

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
MAX_BYTES = 700


def activemq(scratch: Path) -> dict[str, Any]:
    """Return messages of at most 700 bytes by version, with the properties that the API reports."""
    properties = run_activemq(scratch, VERSIONS)
    messages = {}
    for version in VERSIONS:
        # A record that adds a message begins with the command number 1.
        records = payloads("kahadb-journal", scratch / str(version))
        pairs = zip((p for p in records if p[0] == 1), properties[str(version)], strict=True)
        messages[str(version)] = [
            {"payload": payload.hex(), "told": message_properties}
            for payload, message_properties in pairs
            if len(payload) <= MAX_BYTES
        ]
    return messages


def leveldb(scratch: Path) -> dict[str, Any]:
    """Return the records of a MANIFEST, and the live tables after these records."""
    output = run_python("write_leveldb", *LEVELDB, scratch / "leveldb")
    records = payloads("leveldb-log", scratch / "leveldb" / "first")
    return {"payloads": [payload.hex() for payload in records], "tables": output["first"]}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for make in (activemq, leveldb):
            text = json.dumps(make(Path(scratch)), ensure_ascii=False, indent=1)
            (HERE / f"{make.__name__}.json").write_text(f"{text}\n", "utf-8")
