"""The forms of a run report: files in its directory, and the output of a command."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from conformance.saving import save as save_file

from . import html, json_report, junit
from .json_report import Report
from .markdown import markdown
from .sarif import sarif

# The values of ``--output`` besides ``text``.
OUTPUTS: Mapping[str, Callable[[Report], str]] = {
    "json": lambda report: json.dumps(report) + "\n",
    "markdown": markdown,
    "junit": junit.text,
    "sarif": sarif,
}

# The files in a report's directory besides report.json, junit.xml and report.html.
FILES: Mapping[str, Callable[[Report], str]] = {
    "summary.md": markdown,
    "report.sarif": sarif,
}


def save(report: Report, folder: Path) -> None:
    """Write the report in every form. Raises ``InvalidReport`` before anything is written."""
    folder.mkdir(parents=True, exist_ok=True)
    json_report.save(report, folder / "report.json")
    junit.write(report, folder / "junit.xml")
    html.write(report, folder / "report.html")
    for name, shape in FILES.items():
        save_file(folder / name, shape(report))
