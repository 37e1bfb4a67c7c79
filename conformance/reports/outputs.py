"""The forms of a run report: files in its directory, and the output of a command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from conformance import saving
from conformance.vectors import Vector

from . import json_report
from .html import html
from .json_report import Report
from .junit import junit
from .markdown import markdown
from .sarif import sarif

# ``--output-format`` accepts these values and ``text``.
OUTPUTS: Mapping[str, Callable[[Report], str]] = {
    "json": json_report.json_text,
    "markdown": markdown,
    "junit": junit,
    "sarif": sarif,
}

# A report's directory contains these files, report.json and report.html.
FILES: Mapping[str, Callable[[Report], str]] = {
    "junit.xml": junit,
    "summary.md": markdown,
    "report.sarif": sarif,
}


def save(report: Report, folder: Path, vectors: Mapping[str, Vector] | None = None) -> None:
    """Write the report of a run of ``vectors`` in every form.

    Raises ``InvalidReport`` before anything is written.
    """
    json_report.save(report, folder / "report.json")
    saving.save(folder / "report.html", html(report, vectors))
    for name, shape in FILES.items():
        saving.save(folder / name, shape(report))
