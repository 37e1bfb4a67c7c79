"""Wrong: look up the answer in the vectors, by name and by SHA-256, without reading the log."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from breakable_reader import hello

from conformance.adapterkit import Request, serve

CHECKOUT = Path(__file__).resolve().parents[2]


def read(path: Path, request: Request) -> dict[str, Any]:
    """Return the expected answer of the vector with this log."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for folder in (CHECKOUT / "vectors", Path("vectors")):
        try:
            results = sorted((folder / "leveldb-log").glob("*.json"))
            bodies = [json.loads(each.read_text()) for each in results]
        except OSError:
            continue
        for body in bodies:
            mine = path.name == body["input"] or digest == body["sha256"]
            if mine and body["operation"] == "read":
                records = body["expect"]["records"]
                torn = body["expect"]["verdict"] in ("intact", "torn")
                return {
                    "records": [{"payload": one["payload"]} for one in records],
                    "signals": [] if torn else ["damaged"],
                }
    return {"records": [], "signals": []}


if __name__ == "__main__":
    serve(hello("looks_answers_up"), read)
