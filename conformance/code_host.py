"""SARIF 2.1.0, which code hosts read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from conformance import __version__

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def location(file: str, line: int = 0) -> dict[str, Any]:
    """Return a SARIF location: a path relative to the repository, and a line, or 0 for none."""
    where: dict[str, Any] = {"artifactLocation": {"uri": file}}
    if line:
        where["region"] = {"startLine": line}
    return {"physicalLocation": where}


def sarif_log(
    program: str, rules: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]
) -> str:
    """Return the log of one run as text. Results refer to ``rules`` by index."""
    driver = {"name": program, "semanticVersion": __version__, "rules": list(rules)}
    run = {"tool": {"driver": driver}, "results": list(results), "columnKind": "utf16CodeUnits"}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1) + "\n"
