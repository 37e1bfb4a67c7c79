"""Adapter for the Python parser package, which lists the fields that its parsers find.

The parsers read a whole file and do not store offsets. The adapter therefore computes offsets as
sums of field sizes.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
BUILD = Path(sys.argv[1])
sys.path[:0] = [str(HERE.parents[3]), str(BUILD / "package")]

from kaitaistruct import __version__  # noqa: E402

from conformance.kaitai.model import Model  # noqa: E402
from conformance.structure.listing import ListingWalk, Tells, digest  # noqa: E402


@functools.cache
def model_of(grammar: str) -> Model:
    """Return the model of a grammar. It is cached, because parsing the YAML is slow."""
    return Model(grammar)


@functools.cache
def available() -> frozenset[str]:
    """Return the grammars that have a parser."""
    return frozenset(json.loads((BUILD / "models.json").read_text()))


def lines(grammar: str, path: Path) -> list[str]:
    """Return the listing of a file."""
    model = model_of(grammar)
    parser = getattr(importlib.import_module(f"walproof_parsers.{grammar}"), model.top)
    try:
        top = parser.from_bytes(path.read_bytes())
    except Exception:  # Any exception of the parser counts as a refusal.
        return ["!"]
    return list(ListingWalk(model, Tells()).lines(top))


def reply(request: dict[str, Any]) -> dict[str, Any]:
    """Return the reply to one message."""
    if request["cmd"] == "hello":
        return {
            "name": "parser-python",
            "version": __version__,
            "language": "Python",
            "formats": ["*"],
            "profiles": ["structure"],
            "reports": ["structure", "absent", "unknown-enums"],
            "homepage": "https://kaitai.io",
            "issues": "https://github.com/kaitai-io/kaitai_struct/issues",
        }
    if request.get("profile") != "structure":
        return {"seq": request["seq"], "skipped": "lists fields only"}
    if request["grammar"] not in available():
        return {"seq": request["seq"], "skipped": f"no parser of {request['grammar']}"}
    listing = lines(request["grammar"], Path(request["path"]))
    short = digest(listing)
    structure: dict[str, Any] = {"fields": short.fields, "sha256": short.sha256}
    if request.get("listing"):
        structure["listing"] = listing
    return {"seq": request["seq"], "structure": structure}


def main() -> None:
    """Run the protocol."""
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["cmd"] == "bye":
            return
        print(json.dumps(reply(request), separators=(",", ":")), flush=True)


if __name__ == "__main__":
    main()
