"""A table (:mod:`conformance.packages.tables`) as a program that ``walproof check`` asks."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from conformance.adapterkit import Refused, Request, Skipped, serve
from conformance.contents import read_contents
from conformance.packages.tables import Fell, key, perform


def main(file: str) -> None:
    """Serve the table in a file."""
    table = json.loads(Path(file).read_text("utf-8"))

    def act(path: Path, request: Request) -> dict[str, Any]:
        contents = read_contents(path) if path.exists() else None
        asked = {"context": request["context"], "records": request.get("records", [])}
        known_by = key(request["format"], request["profile"], path.name, asked, contents)
        found: dict[str, Any] | None = table["acts"].get(known_by)
        if found is None:
            raise Skipped("not in the table")
        if found.get("hang"):
            time.sleep(3600)
        if "skip" in found:
            raise Skipped(found["skip"])
        if "raise" in found:
            raise Fell(found["raise"])
        perform(found, path)
        if "refuse" in found:
            raise Refused(found["refuse"])
        return found

    def read(path: Path, request: Request) -> dict[str, Any]:
        answer: dict[str, Any] = act(path, request)["answer"]
        return answer

    def write(path: Path, request: Request) -> None:
        act(path, request)

    names = ("formats", "profiles", "reports")
    hello = {"name": table["name"], "version": "1", **{name: table[name] for name in names}}
    sys.argv[1:] = []
    serve(hello, read, write, write)


if __name__ == "__main__":
    main(sys.argv[1])
