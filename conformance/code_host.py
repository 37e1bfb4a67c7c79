"""What code hosts read: workflow commands that annotate lines, and SARIF 2.1.0.

A workflow command is a line of a step's output, ``::error file=…,line=…,title=…::message``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from conformance import __version__
from conformance.text import printable

Level = Literal["error", "warning", "notice"]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def annotation(level: Level, message: str, title: str, file: str = "", line: int = 0) -> str:
    """A workflow command, one line without its end; ``line`` counts from 1, 0 is the whole file."""
    places = {"file": file, "line": str(line or ""), "title": title}
    said = ",".join(f"{key}={_property(value)}" for key, value in places.items() if value)
    return f"::{level} {said}::{_data(message)}"


def _data(text: str) -> str:
    text = printable(text)
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def location(file: str, line: int = 0) -> dict[str, Any]:
    """A place for SARIF: a path relative to the repository, and a line from 1, or 0 for none."""
    where: dict[str, Any] = {"artifactLocation": {"uri": file}}
    if line:
        where["region"] = {"startLine": line}
    return {"physicalLocation": where}


def sarif_log(
    program: str, rules: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]
) -> str:
    """The log of one run, as text. ``rules`` are reporting descriptors, by which results index."""
    driver = {"name": program, "semanticVersion": __version__, "rules": list(rules)}
    run = {"tool": {"driver": driver}, "results": list(results), "columnKind": "utf16CodeUnits"}
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1) + "\n"
